/* SPDX-License-Identifier: BSD-2-Clause */
/* What is shown of a trace, as text and as JSON. */
#include <stdio.h>

#include "tools/base/json.h"
#include "tools/present/view.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/trace/view_trace.h"

#define PACKET 4096
#define BEGIN  1000

#define WAIT(reason)  TRACE_WHY(reason, THREAD_WAITING)
#define STAY(reason)  TRACE_WHY(reason, THREAD_READY)
#define BY_VECTOR(id) TRACE_BY(TRACE_BY_VECTOR, id)

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
    page->bench = build_bench(&page->run, "b", 1);
    trace_builder_init(&page->trace, BEGIN, PACKET);
}

static void page_show(struct page *page, const struct trace_wish *wish)
{
    run_forget(&page->run);
    view_init(&page->view, open_memstream(&page->text, &page->length), &page->run);
    CHECK(view_trace(&page->view, page->bench, wish) == NULL);
    fclose(page->view.out);
}

static void page_check(struct page *page, const char *expected)
{
    CHECK_TEXT(page->text, expected);
    free(page->text);
    page->text = NULL;
}

static void page_close(struct page *page)
{
    free(page->text);
    run_free(&page->run);
}

/*
 * Of 1000 ticks: the bench 110, the worker 200, a DPC 30, two interrupts of 50, a page fault of 20;
 * the rest is idle, except dispatch.
 */
static void build(struct page *page)
{
    struct trace_builder *trace = &page->trace;

    TRACE_ADD(trace, 1000, thread_is, 1, 0, 31, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(trace, 1000, thread_is, 0, 0, 0, THREAD_READY, WAIT_NONE);
    TRACE_ADD(trace, 1010, thread_start, 2, 1, 10);
    TRACE_ADD(trace, 1010, thread_ready, 2, 1);
    TRACE_ADD(trace, 1100, thread_switch, 1, 2, WAIT(WAIT_JOIN));
    TRACE_ADD(trace, 1150, fault_entry, 0x5000, FAULT_DEMAND_ZERO);
    TRACE_ADD(trace, 1170, fault_exit, FAULT_DEMAND_ZERO);
    TRACE_ADD(trace, 1180, lock_wait, 3, TRACE_NO_HOLDER);
    TRACE_ADD(trace, 1200, thread_switch, 2, 0, WAIT(WAIT_SEMAPHORE));
    TRACE_ADD(trace, 1500, isr_entry, 64);
    TRACE_ADD(trace, 1505, timer_expire, 1490);
    TRACE_ADD(trace, 1510, tick, 0);
    TRACE_ADD(trace, 1520, dpc_queue, 1);
    TRACE_ADD(trace, 1550, isr_exit, 64);
    TRACE_ADD(trace, 1560, dpc_entry, 1);
    TRACE_ADD(trace, 1570, lock_release, 3);
    TRACE_ADD(trace, 1575, thread_ready, 2, TRACE_BY(TRACE_BY_DPC, 1));
    TRACE_ADD(trace, 1590, dpc_exit, 1);
    TRACE_ADD(trace, 1600, thread_switch, 0, 2, STAY(WAIT_PREEMPTED));
    TRACE_ADD(trace, 1610, lock_acquire, 3);
    TRACE_ADD(trace, 1620, isr_entry, 65);
    TRACE_ADD(trace, 1630, tick, 2);
    TRACE_ADD(trace, 1670, isr_exit, 65);
    TRACE_ADD(trace, 1760, thread_ready, 1, 2);
    TRACE_ADD(trace, 1770, thread_switch, 2, 1, TRACE_WHY(WAIT_EXIT, THREAD_ENDED));
    TRACE_ADD(trace, 1780, thread_switch, 1, 0, WAIT(WAIT_SLEEP));
    trace_builder_finish(trace, 2000, page->bench);
    trace_builder_name(page->bench, "thread", 2, "worker");
    trace_builder_name(page->bench, "vector", 64, "lapic_timer");
    trace_builder_name(page->bench, "dpc", 1, "work");
    trace_builder_name(page->bench, "lock", 3, "items");
}

static void test_consistency(void)
{
    struct page page;

    page_open(&page);
    build(&page);
    page_show(&page, &(struct trace_wish){.consistency = true});
    page_check(&page,
               "\n"
               "  where every tick of 1.000 us went, by the events of 1 part\n"
               "\n"
               "  account                ticks    share      time\n"
               "  idle                     520  52.00 %  520.0 ns\n"
               "  thread worker            200  20.00 %  200.0 ns\n"
               "  thread bench             110  11.00 %  110.0 ns\n"
               "  page faults               20  2.000 %  20.00 ns\n"
               "  interrupt lapic_timer     50  5.000 %  50.00 ns\n"
               "  interrupt vector 41h      50  5.000 %  50.00 ns\n"
               "  DPC work                  30  3.000 %  30.00 ns\n"
               "  dispatch                  20  2.000 %  20.00 ns\n"
               "  tracer                     0        0         0\n"
               "  unknown                    0        0         0\n"
               "  sum                     1000  100.0 %  1.000 us\n"
               "  elapsed                 1000\n"
               "  difference                 0\n"
               "\n"
               "  records: 26 read, 0 discarded, 0 overwritten; packets lost: 0\n"
               "\n"
               "  for comparison, classic sampling: each of 2 clock ticks is charged to the\n"
               "  thread that it interrupts; shares of the whole time, errors in percentage\n"
               "  points\n"
               "\n"
               "  thread     charged  by sampling  by events   error\n"
               "  worker           1      50.00 %    22.00 %  +28.00\n"
               "  bench            0            0    11.00 %  -11.00\n"
               "  idle             1      50.00 %    52.00 %  -2.000\n"
               "  no thread        -            -    15.00 %\n");
    page_close(&page);
}

static void test_threads(void)
{
    struct page page;

    page_open(&page);
    build(&page);
    page_show(&page, &(struct trace_wish){.threads = true});
    page_check(&page,
               "\n"
               "  states of threads, which sum to their lives; held up: on the processor, but\n"
               "  interrupted; faults: waits for pages\n"
               "\n"
               "  id  thread  prio      life   running   held up    faults     ready   waiting\n"
               "   0  idle       0  1.000 us  520.0 ns  100.0 ns         0  380.0 ns         0\n"
               "   1  bench     31  1.000 us  110.0 ns         0         0  10.00 ns  880.0 ns\n"
               "   2  worker    10  760.0 ns  200.0 ns  50.00 ns  20.00 ns  115.0 ns  375.0 ns\n"
               "\n"
               "  why threads did not run\n"
               "\n"
               "  thread  why not running      ticks      time  of its lifetime\n"
               "  idle    ready: woken           200  200.0 ns          20.00 %\n"
               "          ready: preempted       180  180.0 ns          18.00 %\n"
               "  bench   ready: woken            10  10.00 ns          1.000 %\n"
               "          waiting: sleep         220  220.0 ns          22.00 %\n"
               "          waiting: join          660  660.0 ns          66.00 %\n"
               "  worker  ready: woken           115  115.0 ns          15.13 %\n"
               "          page fault: 1 times     20  20.00 ns          2.632 %\n"
               "          waiting: semaphore     375  375.0 ns          49.34 %\n"
               "\n"
               "  switches to each thread, how often an interrupt took the processor from it,\n"
               "  and delays of its wake-ups from ready to running, in ticks; charged: clock\n"
               "  ticks\n"
               "\n"
               "  thread  switches  preempted  wake-ups  min  mean  max  charged\n"
               "  idle           2          1         0    -     -    -        1\n"
               "  bench          1          0         1   10  10.0   10        0\n"
               "  worker         2          0         2   25  57.5   90        1\n"
               "\n"
               "  locks (mutexes, semaphores, pipes)\n"
               "\n"
               "  lock   acquired  waits    waited      mean   longest  of\n"
               "  items         1      1  430.0 ns  430.0 ns  430.0 ns  worker\n");
    page_close(&page);
}

/* Two disks: of one a request failed and one never came back, of the other the trace lacks the
 * issue. */
static void build_disks(struct page *page)
{
    struct trace_builder *trace = &page->trace;

    TRACE_ADD(trace, 1000, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(trace, 1100, block_issue, 1, 0, 64, 8, 1);
    TRACE_ADD(trace, 1150, block_issue, 1, 1, 72, 1, 2);
    TRACE_ADD(trace, 1300, block_complete, 1, 0, BLOCK_GOOD, 1);
    TRACE_ADD(trace, 1400, block_complete, 1, 1, BLOCK_MEDIUM, 0);
    TRACE_ADD(trace, 1500, block_complete, 2, 9, BLOCK_GOOD, 0);
    TRACE_ADD(trace, 1900, block_issue, 1, 2, 80, 8, 1);
    trace_builder_finish(trace, 2000, page->bench);
    trace_builder_name(page->bench, "device", 1, "model");
}

static void test_disks(void)
{
    struct page page;

    page_open(&page);
    build_disks(&page);
    page_show(&page, &(struct trace_wish){.disks = true});
    page_check(&page,
               "\n"
               "  requests to disks, and the time from issue to completion of completed ones;\n"
               "  open: outstanding when the trace ended\n"
               "\n"
               "  disk    requests  good  failed  open       min      mean       max\n"
               "  model          3     1       1     1  200.0 ns  225.0 ns  250.0 ns\n"
               "  disk 2         0     0       0     0         -         -         -\n"
               "\n"
               "  model: medium error: 1 of 3 requests\n"
               "\n"
               "  disk 2: completions of requests that were issued before the trace began, or\n"
               "  while events were lost: 1\n"
               "\n"
               "  data of good requests, and number of outstanding requests; busy: the share of\n"
               "  the time with at least one outstanding. The time counts from the disk's first\n"
               "  event, while no events are lost.\n"
               "\n"
               "  disk    KiB  deepest   mean  while busy     busy        of\n"
               "  model   4.0        2  0.611       1.375  44.44 %  900.0 ns\n"
               "  disk 2  0.0        0  0.000           -        0  500.0 ns\n");
    page_close(&page);
}

static void test_no_disks(void)
{
    struct page page;

    page_open(&page);
    build(&page);
    page_show(&page, &(struct trace_wish){.disks = true});
    page_check(&page, "\n  no request was made to a disk\n");
    page_close(&page);
}

static void test_irqs(void)
{
    struct page page;

    page_open(&page);
    build(&page);
    page_show(&page, &(struct trace_wish){.irqs = true});
    page_check(&page,
               "\n"
               "  handlers and deferred calls, in ticks. Net: time in the handler, including\n"
               "  entry and exit of the interrupt, without nested interrupts and the tracer.\n"
               "  Gross: from stamp to stamp. Queued: until a deferred call began. The last\n"
               "  column is the mean.\n"
               "\n"
               "  handler      time    n  min  mean  max  total      time\n"
               "  lapic_timer  net     1   50  50.0   50     50  50.00 ns\n"
               "               gross   1   50  50.0   50     50  50.00 ns\n"
               "  vector 41h   net     1   50  50.0   50     50  50.00 ns\n"
               "               gross   1   50  50.0   50     50  50.00 ns\n"
               "  DPC work     net     1   30  30.0   30     30  30.00 ns\n"
               "               gross   1   30  30.0   30     30  30.00 ns\n"
               "               queued  1   40  40.0   40     40  40.00 ns\n"
               "\n"
               "  timers: 1 expired, from deadline to handler 15 to 15 ticks (15.00 ns)\n"
               "\n"
               "  lapic_timer: was interrupted 0 times\n"
               "      ticks from         net       gross\n"
               "              32           1           1  ########################\n"
               "\n"
               "  vector 41h: was interrupted 0 times\n"
               "      ticks from         net       gross\n"
               "              32           1           1  ########################\n"
               "\n"
               "  DPC work: was interrupted 0 times\n"
               "      ticks from         net       gross\n"
               "              16           1           1  ########################\n");
    page_close(&page);
}

static void test_availability(void)
{
    struct page page;

    page_open(&page);
    build(&page);
    page_show(&page, &(struct trace_wish){.interval_ms = 0.0001});
    page_check(&page, "\n"
                      "  processor busy (neither idle nor unknown), over 10 intervals of 100.0 ns\n"
                      "\n"
                      "  busy: 48.00 % of the total; per interval min 0, median 0, max 100.0 %\n"
                      "\n"
                      "      100 % |##   ##\n"
                      "            |##   ##:\n"
                      "            |##   ###\n"
                      "       50 % |##   ###\n"
                      "            |##   ###\n"
                      "            |##   ###\n"
                      "        0 % +----------\n"
                      "\n"
                      "        busy   intervals\n"
                      "         0 %           5  ##############################\n"
                      "      < 90 %           1  ######\n"
                      "       100 %           4  ########################\n"
                      "\n"
                      "  busiest  begins at     busy  busy ticks\n"
                      "        0          0  100.0 %         100\n"
                      "        1   100.0 ns  100.0 %         100\n"
                      "        5   500.0 ns  100.0 %         100\n"
                      "        6   600.0 ns  100.0 %         100\n"
                      "        7   700.0 ns  80.00 %          80\n");
    page_close(&page);
}

static void test_delays(void)
{
    struct page page;

    page_open(&page);
    build(&page);
    page_show(&page, &(struct trace_wish){.thread = "worker", .slowest = 5});
    page_check(&page,
               "\n"
               "  who delayed worker: the slowest 2 of 2 delays: wake-ups (2) and waits for\n"
               "  locks held by another thread (0)\n"
               "\n"
               "  delay 1, wake-up by thread bench: 90.00 ns, from 10.00 ns on\n"
               "    who           why                  ticks      time\n"
               "    thread bench  has higher priority     90  90.00 ns\n"
               "    sum                                   90  90.00 ns\n"
               "\n"
               "  delay 2, wake-up by DPC work: 25.00 ns, from 575.0 ns on\n"
               "    who       why                  ticks      time\n"
               "    DPC work  deferred call           15  15.00 ns\n"
               "    dispatch  between two threads     10  10.00 ns\n"
               "    sum                               25  25.00 ns\n");
    page_close(&page);
}

/* Lock 3, "items", is held by 2, then by 4; number 9 has no name. */
static void test_lock_delays(void)
{
    struct page page;

    page_open(&page);
    TRACE_ADD(&page.trace, 1000, thread_is, 2, 0, 5, THREAD_READY, WAIT_NONE);
    TRACE_ADD(&page.trace, 1000, thread_is, 9, 0, 10, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&page.trace, 1100, lock_wait, 3, 2);
    TRACE_ADD(&page.trace, 1110, thread_switch, 9, 2, WAIT(WAIT_MUTEX));
    TRACE_ADD(&page.trace, 1200, lock_release, 3);
    TRACE_ADD(&page.trace, 1205, thread_ready, 9, 2);
    TRACE_ADD(&page.trace, 1210, thread_switch, 2, 9, STAY(WAIT_OVERTAKEN));
    trace_builder_finish(&page.trace, 1300, page.bench);
    trace_builder_init(&page.trace, 2000, PACKET);
    TRACE_ADD(&page.trace, 2000, thread_ready, 9, BY_VECTOR(80)); /* and then it ends */
    trace_builder_finish(&page.trace, 2100, page.bench);
    trace_builder_name(page.bench, "lock", 3, "items");
    page_show(&page, &(struct trace_wish){.thread = "9", .slowest = 1});
    page_check(&page,
               "\n"
               "  who delayed thread 9: the slowest 1 of 1 delays: wake-ups (0) and waits for\n"
               "  locks held by another thread (1)\n"
               "  1 more were cut off by gaps or ends of the trace\n"
               "\n"
               "  delay 1, wait for items, held by thread 2: 110.0 ns, from 100.0 ns on in part\n"
               "    1\n"
               "    who       why                         ticks      time\n"
               "    thread 9  before its wait began          10  10.00 ns\n"
               "    thread 2  holds items                    90  90.00 ns\n"
               "    thread 2  hands on items                  5  5.000 ns\n"
               "    thread 2  lower priority, still runs      5  5.000 ns\n"
               "    sum                                     110  110.0 ns\n");
    page_close(&page);
}

/* Never woken; and a name that does not exist shows nothing. */
static void test_no_delays(void)
{
    struct page page;

    page_open(&page);
    build(&page);
    page_show(&page, &(struct trace_wish){.thread = "idle", .slowest = 1});
    page_check(&page, "\n  idle was never woken\n");
    page_show(&page, &(struct trace_wish){.thread = "absent", .slowest = 1});
    page_check(&page, "");
    CHECK_EQUAL(view_find_thread(page.bench, "worker"), 2);
    CHECK_EQUAL(view_find_thread(page.bench, "bench"), 1);
    CHECK_EQUAL(view_find_thread(page.bench, "65535"), 65535);
    CHECK_EQUAL(view_find_thread(page.bench, "65536"), ACCOUNT_NO_THREAD);
    page_close(&page);
}

/* What is lost, and what contradicts. */
static void test_losses(void)
{
    struct page page;

    page_open(&page);
    page.run.verdict.ok = false; /* nor is it known how long a tick is */
    TRACE_ADD(&page.trace, 1000, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&page.trace, 1100, tick, 1);
    trace_builder_turn(&page.trace, 1200, 1200, 0);
    trace_builder_lose(&page.trace);
    trace_builder_finish(&page.trace, 1300, page.bench);
    page.bench->traces[0].discarded = 5;
    page_show(&page, &(struct trace_wish){.consistency = true});
    page_check(&page,
               "\n"
               "  where every tick of 300 ticks went, by the events of 1 part\n"
               "\n"
               "  account     ticks    share\n"
               "  idle          100  33.33 %\n"
               "  dispatch        0        0\n"
               "  tracer          0        0\n"
               "  unknown       200  66.67 %\n"
               "  sum           300  100.0 %\n"
               "  elapsed       300\n"
               "  difference      0\n"
               "\n"
               "  records: 2 read, 5 discarded, 0 overwritten; packets lost: 1; their time is\n"
               "  unknown, not idle\n"
               "  in conflict: a clock tick charged to a thread that was not running, 1 times\n"
               "\n"
               "  for comparison, classic sampling: each of 1 clock ticks is charged to the\n"
               "  thread that it interrupts; shares of the known time, errors in percentage\n"
               "  points\n"
               "\n"
               "  thread     charged  by sampling  by events   error\n"
               "  idle             0            0    100.0 %  -100.0\n"
               "  bench            1      100.0 %          0  +100.0\n"
               "  no thread        -            -          0\n");
    view_init(&page.view, open_memstream(&page.text, &page.length), &page.run);
    run_forget(&page.run);
    CHECK_TEXT(view_trace(&page.view, page.bench, &(struct trace_wish){.interval_ms = 1}),
               "the length of a tick is unknown");
    fclose(page.view.out);
    page_close(&page);
}

/* In exact time lengths are instructions. */
static void test_exact(void)
{
    struct page page;

    page_open(&page);
    build(&page);
    run_add_pair(&page.run, &page.run.info, "kind", "exact");
    run_add_pair(&page.run, &page.run.info, "ticks_per_instruction", "4");
    page_show(&page, &(struct trace_wish){.irqs = true});
    CHECK(strstr(page.text,
                 "  handler      time    n  min  mean  max  total  instructions\n"
                 "  lapic_timer  net     1   50  50.0   50     50          12.5\n") != NULL);
    free(page.text);
    page_show(&page, &(struct trace_wish){.consistency = true});
    CHECK(strstr(page.text, "  account                ticks    share  instructions\n"
                            "  idle                     520  52.00 %           130\n") != NULL);
    page_close(&page);
}

/* The table, of exact or of real time. */
static void check_reconcile(bool exact, const char *expected)
{
    struct page page;

    page_open(&page);
    if (exact) {
        run_add_pair(&page.run, &page.run.info, "kind", "exact");
        run_add_pair(&page.run, &page.run.info, "ticks_per_instruction", "4");
    }
    TRACE_ADD(&page.trace, 1000, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&page.trace, 1150, isr_entry, 64);
    TRACE_ADD(&page.trace, 1190, isr_exit, 64);
    trace_builder_finish(&page.trace, 1440, page.bench);
    build_series(page.bench, "idle", NULL, NULL, (int64_t[]){100, 141, 99}, 3);
    build_fact(page.bench, "idle_origin", 0);
    build_fact(page.bench, "iteration_millitick", 2000);
    page_show(&page, &(struct trace_wish){.consistency = true});
    CHECK(
        strstr(page.text,
               "\n"
               "  idle loop compared with event trace: the excess of samples over an undisturbed\n"
               "  one, 99 ticks, and the time in them that the trace does not call idle; in\n"
               "  ticks and in iterations of the loop\n"
               "\n") != NULL);
    CHECK_TEXT(strstr(page.text, "  samples with"), expected);
    page_close(&page);
}

static void test_reconcile(void)
{
    check_reconcile(true,
                    "  samples with  n  excess  by the trace  largest error  iterations  within 1\n"
                    "  no episode    2       1             0             +1      +0.500         2\n"
                    "  one episode   1      42            40             +2      +1.000         1\n"
                    "  several       0       -             -              -           -         -\n"
                    "  all           3      43            40             +2      +1.000         3\n"
                    "  the last 100.0 ns of the trace are in no sample of the idle loop\n");
    check_reconcile(false,
                    "  samples with  n  excess  by the trace  largest error  iterations  within\n"
                    "  no episode    2       1             0             +1      +0.500       2\n"
                    "  one episode   1      42            40             +2      +1.000       1\n"
                    "  several       0       -             -              -           -       -\n"
                    "  all           3      43            40             +2      +1.000       3\n"
                    "\n"
                    "  within: 2 ticks, which is one iteration plus 5 times the spread of the\n"
                    "  shortest tenth of the samples\n"
                    "  the last 100.0 ns of the trace are in no sample of the idle loop\n");
}

/* Fourteen threads: the rows that are left share one. */
static void test_many_threads(void)
{
    struct page page;

    page_open(&page);
    TRACE_ADD(&page.trace, 1000, thread_is, 1, 0, 31, THREAD_RUNNING, WAIT_NONE);
    for (unsigned i = 1; i < 14; i++) {
        TRACE_ADD(&page.trace, 1000 + 10 * i, thread_switch, i, i + 1, WAIT(WAIT_SLEEP));
    }
    trace_builder_finish(&page.trace, 1140, page.bench);
    page_show(&page, &(struct trace_wish){.consistency = true});
    CHECK(strstr(page.text, "  thread 11          10  7.143 %  10.00 ns\n"
                            "  3 more threads     30  21.43 %  30.00 ns\n"
                            "  dispatch ") != NULL);
    page_close(&page);
}

/* ---- JSON ---- */

/* The accounting as JSON has all of these. */
static void check_json(struct page *page, const char *const *expected, size_t count)
{
    struct json json;
    FILE *out = open_memstream(&page->text, &page->length);

    json_start(&json, out);
    json_object(&json, NULL);
    accounting_json(&json, &page->run, page->bench);
    json_close(&json);
    fclose(out);
    for (size_t i = 0; i < count; i++) {
        if (strstr(page->text, expected[i]) == NULL) {
            fprintf(stderr, "not in the JSON: %s\n", expected[i]);
        }
        CHECK(strstr(page->text, expected[i]) != NULL);
    }
}

static void test_json(void)
{
    static const char *const expected[] = {
        "\"elapsed\": 1000,\n    \"sum\": 1000,\n    \"difference\": 0,\n    \"unknown\": 0,",
        "\"kind\": \"page_fault\",\n        \"id\": 2,\n        \"name\": \"worker\",\n"
        "        \"ticks\": 20\n",
        "\"semaphore\": 375\n",
        "\"wakeup_delay\": {\n          \"n\": 2,\n          \"total\": 115,\n          \"min\": "
        "25,\n"
        "          \"mean\": 57.500,\n          \"max\": 90\n",
        "\"by_samples\": 0.500000000,\n        \"by_events\": 0.220000000,\n"
        "        \"error_points\": 28.000000\n",
        "\"from\": 32,\n              \"n\": 1\n",
        "\"reconcile\": null\n",
        "\"disks\": [],",
    };
    struct page page;

    page_open(&page);
    build(&page);
    check_json(&page, expected, sizeof(expected) / sizeof(expected[0]));
    page_close(&page);
}

static void test_json_disks(void)
{
    static const char *const expected[] = {
        "\"name\": \"model\",\n        \"requests\": 3,\n        \"good\": 1,\n"
        "        \"failed\": 1,\n",
        "\"medium error\": 1\n",
        "\"outstanding_at_end\": 1,\n        \"lost\": 0,\n        \"not_issued_here\": 0,\n"
        "        \"sectors\": 8,\n",
        "\"deepest\": 2,\n        \"known\": 900,\n        \"busy\": 400,\n"
        "        \"request_ticks\": 550\n",
        "\"name\": \"disk 2\",\n        \"requests\": 0,",
        "\"not_issued_here\": 1,",
    };
    struct page page;

    page_open(&page);
    build_disks(&page);
    check_json(&page, expected, sizeof(expected) / sizeof(expected[0]));
    page_close(&page);
}

static void test_json_without_trace(void)
{
    struct page page;
    struct json json;

    page_open(&page);
    struct run_bench *untraced = build_bench(&page.run, "c", 1);
    FILE *out = open_memstream(&page.text, &page.length);

    json_start(&json, out);
    json_object(&json, NULL);
    accounting_json(&json, &page.run, untraced);
    json_close(&json);
    fclose(out);
    CHECK_TEXT(page.text, "{\n  \"accounting\": null\n}\n");
    free(page.trace.bytes);
    page_close(&page);
}

int main(void)
{
    RUN(test_consistency());
    RUN(test_threads());
    RUN(test_irqs());
    RUN(test_disks());
    RUN(test_no_disks());
    RUN(test_availability());
    RUN(test_delays());
    RUN(test_lock_delays());
    RUN(test_no_delays());
    RUN(test_losses());
    RUN(test_exact());
    RUN(test_reconcile());
    RUN(test_many_threads());
    RUN(test_json());
    RUN(test_json_disks());
    RUN(test_json_without_trace());
    return unit_finish("unit_trace_views");
}
