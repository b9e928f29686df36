/* SPDX-License-Identifier: BSD-2-Clause */
/* What is shown of input events, of think and wait, and of latencies: as text and as JSON. */
#include <stdio.h>

#include "bench/interactive/host/measure/input.h"
#include "bench/interactive/host/view_input.h"
#include "kernel/input/event.h"
#include "tools/present/view.h"
#include "tools/show/run_json.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"

#define PACKET   8192
#define BEGIN    1000
#define END      6000
#define APP      2
#define QUEUE    1
#define VECTOR   0x51
#define SAMPLE   100 /* idle ticks that a sample of the idle loop takes */
#define EVENTS   4
#define PLANNED  5
#define SAMPLES  200
#define KEY_A    0x1e
#define KEY_LOST 0x30 /* b */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A run of one bench, and a view of it that writes into memory. */
struct page {
    struct run run;
    struct run_bench *bench;
    struct trace_builder trace;
    struct view view;
    char *text;
    size_t length;
};

/* Ticks are nanoseconds. */
static void page_open(struct page *page)
{
    memset(page, 0, sizeof(*page));
    run_init(&page->run);
    page->run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    page->bench = build_bench(&page->run, "echo", 1);
    trace_builder_init(&page->trace, BEGIN, PACKET);
}

static const char *page_show(struct page *page, const struct input_wish *wish)
{
    view_init(&page->view, open_memstream(&page->text, &page->length), &page->run);
    const char *why = view_input(&page->view, page->bench, wish);

    fclose(page->view.out);
    return why;
}

/* From `from` on (NULL: all of it) up to `to` (NULL: the end) it must read so. */
static void page_check(struct page *page, const char *from, const char *to, const char *expected)
{
    const char *begin = from != NULL ? strstr(page->text, from) : page->text;
    char *end = begin != NULL && to != NULL ? strstr(begin, to) : NULL;

    CHECK(begin != NULL && (to == NULL || end != NULL));
    const char kept = end != NULL ? *end : '\0';

    if (end != NULL) {
        *end = '\0';
    }
    CHECK_TEXT(begin, expected);
    if (end != NULL) {
        *end = kept;
    }
}

static void page_forget(struct page *page)
{
    free(page->text);
    page->text = NULL;
}

static void page_close(struct page *page)
{
    page_forget(page);
    run_free(&page->run);
}

/* ---- a bench that echoes keys ---- */

/* Busy from its interrupt until the application waits again: 280 ticks, of the third 680. */
static uint64_t begin_of(unsigned event)
{
    return BEGIN + 1000 + 1000 * event;
}

static uint64_t work_of(unsigned event)
{
    return event == 2 ? 600 : 200;
}

static void add_event(struct page *page, unsigned event)
{
    struct trace_builder *trace = &page->trace;
    const uint64_t at = begin_of(event);
    const uint64_t done = at + 60 + work_of(event);
    const enum input_kind kind = event % 2 == 0 ? INPUT_KEY_DOWN : INPUT_KEY_UP;

    TRACE_ADD(trace, at, isr_entry, VECTOR);
    TRACE_ADD(trace, at + 20, input, event + 1, kind, KEY_A, at + 5);
    TRACE_ADD(trace, at + 30, queue_post, QUEUE, kind, event + 1, 1);
    TRACE_ADD(trace, at + 35, thread_ready, APP, TRACE_BY(TRACE_BY_VECTOR, VECTOR));
    TRACE_ADD(trace, at + 40, isr_exit, VECTOR);
    TRACE_ADD(trace, at + 50, thread_switch, 0, APP, TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
    TRACE_ADD(trace, at + 60, queue_take, QUEUE, kind, event + 1, 0);
    TRACE_ADD(trace, done, input_done, QUEUE, event + 1);
    TRACE_ADD(trace, done + 10, queue_call, QUEUE, QUEUE_CALL_GET, 0);
    TRACE_ADD(trace, done + 20, thread_switch, APP, 0, TRACE_WHY(WAIT_QUEUE, THREAD_WAITING));
}

static void add_trace(struct page *page)
{
    TRACE_ADD(&page->trace, BEGIN, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&page->trace, BEGIN, thread_is, APP, 0, 10, THREAD_WAITING, WAIT_QUEUE);
    for (unsigned event = 0; event < EVENTS; event++) {
        add_event(page, event);
    }
    trace_builder_finish(&page->trace, END, page->bench);
    trace_builder_name(page->bench, "thread", APP, "application");
    trace_builder_name(page->bench, "vector", VECTOR, "i8042 keyboard");
    trace_builder_name(page->bench, "queue", QUEUE, "keys");
}

/* What the idle loop would have measured, from the trace's begin on. */
static void add_samples(struct page *page)
{
    int64_t samples[SAMPLES];
    size_t n = 0;
    uint64_t idle = 0;
    uint64_t from = BEGIN;

    for (uint64_t t = BEGIN; t < END; t++) {
        bool busy = false;

        for (unsigned event = 0; event < EVENTS; event++) {
            busy = busy || (t >= begin_of(event) && t < begin_of(event) + 80 + work_of(event));
        }
        idle += !busy;
        if (idle == SAMPLE) {
            samples[n++] = (int64_t)(t + 1 - from);
            from = t + 1;
            idle = 0;
        }
    }
    build_series(page->bench, "idle", NULL, NULL, samples, n);
    build_fact(page->bench, "idle_origin", 0);
    build_fact(page->bench, "iteration_millitick", 1000);
}

/* The last never comes; the second is due 1 ms before it comes. */
static void add_plan(struct page *page)
{
    int64_t intended[PLANNED];
    int64_t sent[PLANNED];
    int64_t numbers[EVENTS / 2];
    int64_t from[EVENTS / 2];
    int64_t to[EVENTS / 2];

    for (unsigned i = 0; i < PLANNED; i++) {
        intended[i] = (int64_t)(begin_of(i) - BEGIN) - 10;
        sent[i] = (i % 2 == 0 ? INPUT_KEY_DOWN : INPUT_KEY_UP) << 16 | KEY_A;
    }
    sent[PLANNED - 1] = INPUT_KEY_DOWN << 16 | KEY_LOST;
    for (unsigned i = 0; i < EVENTS / 2; i++) {
        numbers[i] = 2 * i + 1;
        from[i] = (int64_t)(begin_of(2 * i) - BEGIN) + 65;
        to[i] = from[i] + (int64_t)work_of(2 * i) - 10;
    }
    build_series(page->bench, "intended", NULL, NULL, intended, PLANNED);
    build_series(page->bench, "sent", NULL, NULL, sent, PLANNED);
    build_series(page->bench, "stamp_number", NULL, NULL, numbers, EVENTS / 2);
    build_series(page->bench, "stamp_from", NULL, NULL, from, EVENTS / 2);
    build_series(page->bench, "stamp_to", NULL, NULL, to, EVENTS / 2);
}

static void build(struct page *page)
{
    page_open(page);
    add_trace(page);
    add_samples(page);
    add_plan(page);
}

static const struct input_wish all = {
    .events = true,
    .fsm = true,
    .interarrival_ms = (const double[]){0, 0.0003, 0.001},
    .interarrival_count = 3,
    .thresholds = {.kind_ms = {0.0005, 100, 100, 100, 100}},
};

/* ---- times ---- */

static void test_list(void)
{
    struct page page;

    build(&page);
    CHECK(page_show(&page, &all) == NULL);
    page_check(&page, NULL, "  by kind",
               "\n"
               "  input events: 4 came of 5 planned, in order, 1 never came\n"
               "\n"
               "  each event. due, arrival: ms since the start of the trace; response: from when\n"
               "  the event was due to its effect; service: from the arrival of the event to its\n"
               "  effect; busy: the part of service in which the processor was busy; idle:\n"
               "  excess of the idle loop's samples that contain the event; stamps: latency by\n"
               "  the application's own time stamps; queue: length of the queue, including this\n"
               "  event\n"
               "\n"
               "  nr input   due arrival response  service     busy     idle   stamps queue\n"
               "   1 a     0.001   0.001 270.0 ns 260.0 ns 260.0 ns 280.0 ns 190.0 ns     1\n"
               "   2 a up  0.002   0.002 270.0 ns 260.0 ns 260.0 ns 280.0 ns        -     1\n"
               "   3 a     0.003   0.003 670.0 ns 660.0 ns 660.0 ns 680.0 ns 590.0 ns     1\n"
               "   4 a up  0.004   0.004 270.0 ns 260.0 ns 260.0 ns 280.0 ns        -     1\n"
               "   - b     0.005       -        -        -        -        -        -     - M\n"
               "\n"
               "  M planned, but never came\n"
               "\n"
               "  stage             n       min    median  p99  p99.9       max\n"
               "  due to arrival    4        10        10    -      -        10\n"
               "    tick               10.00 ns  10.00 ns              10.00 ns\n"
               "  arrival to queue  4        30        30    -      -        30\n"
               "    tick               30.00 ns  30.00 ns              30.00 ns\n"
               "  in the queue      4        30        30    -      -        30\n"
               "    tick               30.00 ns  30.00 ns              30.00 ns\n"
               "  at work           4       200       200    -      -       600\n"
               "    tick               200.0 ns  200.0 ns              600.0 ns\n"
               "\n");
    page_close(&page);
}

static void test_kinds(void)
{
    struct page page;

    build(&page);
    CHECK(page_show(&page, &all) == NULL);
    page_check(&page, "  by kind", "\n  2 actions in",
               "  by kind; elongation: excess of the idle loop's samples, for events that share\n"
               "  no sample with another\n"
               "\n"
               "  kind           n       min    median      mean       max  std. dev.\n"
               "  key_down       2\n"
               "    elongation   2  280.0 ns  280.0 ns  480.0 ns  680.0 ns   282.8 ns\n"
               "    busy         2  260.0 ns  260.0 ns  460.0 ns  660.0 ns   282.8 ns\n"
               "    service      2  260.0 ns  260.0 ns  460.0 ns  660.0 ns   282.8 ns\n"
               "    response     2  270.0 ns  270.0 ns  470.0 ns  670.0 ns   282.8 ns\n"
               "    traditional  2  190.0 ns  190.0 ns  390.0 ns  590.0 ns   282.8 ns\n"
               "  key_up         2\n"
               "    elongation   2  280.0 ns  280.0 ns  280.0 ns  280.0 ns          0\n"
               "    busy         2  260.0 ns  260.0 ns  260.0 ns  260.0 ns          0\n"
               "    service      2  260.0 ns  260.0 ns  260.0 ns  260.0 ns          0\n"
               "    response     2  270.0 ns  270.0 ns  270.0 ns  270.0 ns          0\n"
               "\n"
               "  actions by class; idle: excess of the idle loop's samples, for actions that\n"
               "  share no sample with another; call: to the next call for a message; weighted:\n"
               "  weighted time (model), in cycles\n"
               "\n"
               "  class       n       min    median      mean       max  std. dev.\n"
               "  printable   2\n"
               "    idle      2  560.0 ns  560.0 ns  760.0 ns  960.0 ns   282.8 ns\n"
               "    service   2  520.0 ns  520.0 ns  720.0 ns  920.0 ns   282.8 ns\n"
               "    response  2  540.0 ns  540.0 ns  740.0 ns  940.0 ns   282.8 ns\n"
               "    call      2  540.0 ns  540.0 ns  740.0 ns  940.0 ns   282.8 ns\n"
               "\n"
               "  what the application's own stamps miss, for the 2 events that share no sample\n"
               "  of the idle loop with another: one part per row, in ticks over all events and\n"
               "  as mean per event\n"
               "\n"
               "  part                                        events  ticks  per event\n"
               "  latency by the application's time stamps         2    780   390.0 ns\n"
               "  interrupt i8042 keyboard                         2     80   40.00 ns\n"
               "  dispatch                                         2     20   10.00 ns\n"
               "  thread application, before its first stamp       2     30   15.00 ns\n"
               "  thread application, after its second stamp       2     50   25.00 ns\n"
               "  sum                                              2    960   480.0 ns\n"
               "  busy by the trace                                2    960   480.0 ns\n"
               "  excess time of idle samples                      2    960   480.0 ns\n"
               "  largest unexplained difference of an event: 0 ticks by the trace, 0 by the\n"
               "  idle loop, whose iteration takes 1.000\n");
    page_close(&page);
}

static void test_profile(void)
{
    struct page page;

    build(&page);
    CHECK(page_show(&page, &all) == NULL);
    page_check(&page, "  latency profile", "  histogram",
               "  latency profile: response time of the actions by the time when they began;\n"
               "  each column shows the longest\n"
               "\n"
               "   1.000 us |                                    :\n"
               "            |                                    #\n"
               "            |                                    #\n"
               "            |.                                   #\n"
               "   500.0 ns |#                                   #\n"
               "            |#                                   #\n"
               "            |#                                   #\n"
               "            |#                                   #\n"
               "          0 +------------------------------------------------------------\n"
               "             0                                                   3.271 us\n"
               "\n");
    page_close(&page);
}

static void test_cumulative(void)
{
    struct page page;

    build(&page);
    CHECK(page_show(&page, &all) == NULL);
    page_check(&page, "    640.0 ns", "  utilisation",
               "    640.0 ns        0\n"
               "    640.0 ns    660.0 ns        0\n"
               "    660.0 ns    680.0 ns        0\n"
               "    680.0 ns    700.0 ns        0\n"
               "    700.0 ns    720.0 ns        0\n"
               "    720.0 ns    740.0 ns        0\n"
               "    740.0 ns    760.0 ns        0\n"
               "    760.0 ns    780.0 ns        0\n"
               "    780.0 ns    800.0 ns        0\n"
               "    800.0 ns    820.0 ns        0\n"
               "    820.0 ns    840.0 ns        0\n"
               "    840.0 ns    860.0 ns        0\n"
               "    860.0 ns    880.0 ns        0\n"
               "    880.0 ns    900.0 ns        0\n"
               "    900.0 ns    920.0 ns        0\n"
               "    920.0 ns    940.0 ns        0\n"
               "    940.0 ns    960.0 ns        1  ########################################\n"
               "\n"
               "  cumulative latency by latency: the share of all response time due to actions\n"
               "  up to that length; half is due to actions of up to 940.0 ns, 80 % to those of\n"
               "  up to 940.0 ns\n"
               "\n"
               "      100 % |                                                           #\n"
               "            |                                                           #\n"
               "            |                                                           #\n"
               "            |                                                           #\n"
               "       50 % |                                                           #\n"
               "            |                                  :::::::::::::::::::::::::#\n"
               "            |                                  ##########################\n"
               "            |                                  ##########################\n"
               "        0 % +------------------------------------------------------------\n"
               "             0                                                   940.0 ns\n"
               "\n"
               "  cumulative latency by number of actions, the shortest first: share of all\n"
               "  response time, in total 1.480 us\n"
               "\n"
               "      100 % |                                                           #\n"
               "            |                                                           #\n"
               "            |                                                           #\n"
               "            |                                                           #\n"
               "       50 % |                                                           #\n"
               "            |                             ::::::::::::::::::::::::::::::#\n"
               "            |                             ###############################\n"
               "            |                             ###############################\n"
               "        0 % +------------------------------------------------------------\n"
               "             0                                                          2\n"
               "\n");
    page_close(&page);
}

static void test_utilisation(void)
{
    struct page page;

    build(&page);
    CHECK(page_show(&page, &all) == NULL);
    page_check(&page, "  utilisation", "  think and wait",
               "  utilisation by the idle loop's samples alone, averaged\n"
               "\n"
               "  window  windows     mean      max  all idle\n"
               "   10 ms        1  30.89 %  30.89 %         0\n"
               "    1 ms        1  30.89 %  30.89 %         0\n"
               "\n"
               "  responsiveness: the response time beyond the threshold of the class, summed\n"
               "  over the actions (--threshold)\n"
               "\n"
               "  class      actions  threshold  above  sum beyond\n"
               "  printable        2   500.0 ns      2    480.0 ns\n"
               "\n"
               "  intervals between actions whose response time is above a threshold, from start\n"
               "  to start\n"
               "\n"
               "  threshold  actions above  mean interarrival  standard deviation\n"
               "          0         2 of 2           2.000 us                 n/a\n"
               "   300.0 ns         2 of 2           2.000 us                 n/a\n"
               "   1.000 us         0 of 2                n/a                 n/a\n"
               "\n");
    page_close(&page);
}

static void test_think_wait(void)
{
    struct page page;

    build(&page);
    view_init(&page.view, open_memstream(&page.text, &page.length), &page.run);
    fputs("\n", page.view.out);
    view_think_wait(&page.view, input_think_wait(&page.run, page.bench), 5);
    fclose(page.view.out);
    page_check(&page, "  think and wait", NULL,
               "  think and wait: of 5.000 us the user waited 1.440 us, in 4 intervals; the\n"
               "  longest took 660.0 ns, from 3.000 us on\n"
               "\n"
               "  waits longer than 100.0 ms, which users notice: 0, in total 0\n"
               "\n"
               "     state             visits  ticks    share      time\n"
               "  a  think_idle             5   3480  69.60 %  3.480 us\n"
               "  b  think_busy             4     80  1.600 %  80.00 ns\n"
               "  c  wait_queued            4    240  4.800 %  240.0 ns\n"
               "  d  wait_queued_idle       0      0        0         0\n"
               "  e  wait_work              4   1200  24.00 %  1.200 us\n"
               "  f  wait_work_idle         0      0        0         0\n"
               "  g  wait_io                0      0        0         0\n"
               "  h  wait_io_idle           0      0        0         0\n"
               "  i  unknown                0      0        0         0\n"
               "     sum                        5000  100.0 %  5.000 us\n"
               "     elapsed                    5000\n"
               "     difference                    0\n"
               "\n"
               "  waits that state machines with less knowledge report, and their errors\n"
               "  compared with the complete machine: think time that they report as wait, and\n"
               "  wait that they miss\n"
               "\n"
               "  machine knows     wait    share      time  is think  missed\n"
               "  complete          1440  28.80 %  1.440 us         0       0\n"
               "  processor alone   1520  30.40 %  1.520 us        80       0\n"
               "  processor, queue  1400  28.00 %  1.400 us        80     120\n"
               "  processor, calls  1480  29.60 %  1.480 us        40       0\n"
               "\n"
               "  16 transitions from the state of the row to the state of the column\n"
               "\n"
               "  from           a  b  c  d  e  f  g  h  i\n"
               "  a think_idle      .  4  .  .  .  .  .  .\n"
               "  b think_busy   4     .  .  .  .  .  .  .\n"
               "  c wait_queued  .  .     .  4  .  .  .  .\n"
               "  e wait_work    .  4  .  .     .  .  .  .\n"
               "\n"
               "  tick        at  from         to           cause\n"
               "  1000  1.000 us  think_idle   wait_queued  input arrived, busy\n"
               "  1060  1.060 us  wait_queued  wait_work    work begins, queue empty\n"
               "  1260  1.260 us  wait_work    think_busy   work ends\n"
               "  1280  1.280 us  think_busy   think_idle   idle\n"
               "  2000  2.000 us  think_idle   wait_queued  input arrived, busy\n"
               "  ... and 11 more (--json has all)\n");
    page_close(&page);
}

/* ---- in short ---- */

static void test_summary(void)
{
    struct page page;

    build(&page);
    view_init(&page.view, open_memstream(&page.text, &page.length), &page.run);
    CHECK(view_has_input(page.bench));
    view_input_summary(&page.view, page.bench);
    fclose(page.view.out);
    page_check(&page, NULL, NULL,
               "\n"
               "  input events: 4 came of 5 planned, in order, 1 never came\n"
               "\n"
               "  medians by kind; in brackets the number of events, if not all have the value;\n"
               "  --events lists each event\n"
               "\n"
               "  kind      events  response   service      busy  idle loop    stamps\n"
               "  key_down       2  270.0 ns  260.0 ns  260.0 ns   280.0 ns  190.0 ns\n"
               "  key_up         2  270.0 ns  260.0 ns  260.0 ns   280.0 ns         -\n"
               "\n"
               "  medians of actions by class; in brackets the number of actions, if not all\n"
               "  have the value\n"
               "\n"
               "  class      actions  response   service  idle loop\n"
               "  printable        2  540.0 ns  520.0 ns   560.0 ns\n"
               "\n"
               "  the user waited 28.80 % of 5.000 us; estimated from CPU activity alone 30.40\n"
               "  %, from CPU and queue 28.00 % (--fsm)\n");
    page_close(&page);
}

/* ---- exact time, and none ---- */

/* 2 ticks an instruction: values that are all the same are marked exact, a single one is not. */
static void test_exact(void)
{
    struct page page;

    build(&page);
    run_add_pair(&page.run, &page.run.info, "kind", "exact");
    run_add_pair(&page.run, &page.run.info, "ticks_per_instruction", "2");
    CHECK(page_show(&page, &all) == NULL);
    page_check(&page, "  by kind", "\n  what the application",
               "  by kind (instructions); elongation: excess of the idle loop's samples, for\n"
               "  events that share no sample with another; exact: all values are equal\n"
               "\n"
               "  kind           n  min  median  mean  max  std. dev.\n"
               "  key_down       2\n"
               "    elongation   2  140     140   240  340      141.4\n"
               "    busy         2  130     130   230  330      141.4\n"
               "    service      2  130     130   230  330      141.4\n"
               "    response     2  135     135   235  335      141.4\n"
               "    traditional  2   95      95   195  295      141.4\n"
               "  key_up         2\n"
               "    elongation   2  140     140   140  140      exact\n"
               "    busy         2  130     130   130  130      exact\n"
               "    service      2  130     130   130  130      exact\n"
               "    response     2  135     135   135  135      exact\n"
               "\n"
               "  actions by class (instructions); idle: excess of the idle loop's samples, for\n"
               "  actions that share no sample with another; call: to the next call for a\n"
               "  message; weighted: weighted time (model), in cycles\n"
               "\n"
               "  class       n  min  median  mean  max  std. dev.\n"
               "  printable   2\n"
               "    idle      2  280     280   380  480      141.4\n"
               "    service   2  260     260   360  460      141.4\n"
               "    response  2  270     270   370  470      141.4\n"
               "    call      2  270     270   370  470      141.4\n");
    page_close(&page);
}

/* Ticks, where nothing is known of them; and no thresholds in milliseconds. */
static void test_no_rate(void)
{
    const struct input_wish events = {.events = true};
    struct page page;

    build(&page);
    page.run.verdict.ok = false;
    CHECK(page_show(&page, &events) == NULL);
    page_check(&page, "   1  a ", "   2  a up",
               "   1  a       990     1000       270      260   260   280     190      1\n");
    page_check(&page, "  utilisation", NULL,
               "  utilisation by the idle loop's samples: n/a, the length of a tick is unknown\n");
    page_forget(&page);
    CHECK_TEXT(page_show(&page, &all), "the length of a tick is unknown");
    page_close(&page);
}

/* No input events: the reason is returned; if some were planned, their number is printed. */
static void test_nothing(void)
{
    struct page page;

    page_open(&page);
    trace_builder_finish(&page.trace, END, page.bench);
    CHECK(!view_has_input(page.bench));
    CHECK_TEXT(page_show(&page, &all), "no input event came, and none was planned");
    page_forget(&page);
    run_forget(&page.run);
    add_plan(&page);
    run_forget(&page.run); /* its bench has changed */
    CHECK(view_has_input(page.bench));
    CHECK(page_show(&page, &(struct input_wish){.events = true}) == NULL);
    page_check(&page, NULL, "\n  each", "\n  input events: 0 came of 5 planned, 5 never came\n");
    page_check(&page, "  latencies", NULL,
               "  latencies: n/a, the response time is known for no action\n");
    page_close(&page);
}

/* ---- JSON ---- */

static void check_json(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fprintf(stderr, "not there: %s\n", part);
    }
    CHECK(strstr(text, part) != NULL);
}

static void test_json(void)
{
    const struct run_texts none = {0};
    struct page page;

    build(&page);
    FILE *out = open_memstream(&page.text, &page.length);

    run_json(out, &page.run, &none);
    fclose(out);
    check_json(page.text,
               "\"latency\": {\n        \"measure\": \"response\",\n        \"events\": 2,\n"
               "        \"endless\": 0,");
    check_json(page.text, "\"begin\": 2990,\n            \"idle\": 960,\n"
                          "            \"service\": 920,\n"
                          "            \"response\": 940,\n"
                          "            \"call\": 940\n");
    check_json(page.text, "\"from\": 940,\n            \"below\": 960,\n            \"n\": 1");
    check_json(page.text, "\"share\": 0.3,\n            \"latency\": 540");
    check_json(page.text, "\"share\": 0.4,\n            \"latency\": 940");
    check_json(page.text,
               "\"think_wait\": {\n        \"elapsed\": 5000,\n        \"residual\": 0,\n"
               "        \"wait\": 1440,\n        \"waits\": 4,\n"
               "        \"longest\": 660,\n        \"longest_at\": 3000,\n        \"perceptible\": "
               "100000000,\n"
               "        \"noticed\": 0,\n        \"noticed_ticks\": 0,\n");
    check_json(page.text, "\"wait_queued\": {\n            \"ticks\": 240,\n"
                          "            \"visits\": 4\n");
    check_json(page.text, "\"wait\": 1400,\n            \"false_wait\": 80,\n"
                          "            \"missed\": 120\n");
    check_json(page.text, "\"at\": 1060,\n            \"part\": 1,\n"
                          "            \"from\": \"wait_queued\",\n"
                          "            \"to\": \"wait_work\",\n"
                          "            \"cause\": \"work begins, queue empty\"\n");
    page_close(&page);
}

int main(void)
{
    RUN(test_list());
    RUN(test_kinds());
    RUN(test_profile());
    RUN(test_cumulative());
    RUN(test_utilisation());
    RUN(test_think_wait());
    RUN(test_summary());
    RUN(test_exact());
    RUN(test_no_rate());
    RUN(test_nothing());
    RUN(test_json());
    return unit_finish("unit_input_views");
}
