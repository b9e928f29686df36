/* SPDX-License-Identifier: BSD-2-Clause */
/* Input events from their moment to their effect, in traces made by hand. */
#include "bench/interactive/host/measure/interactive.h"

#include <math.h>

#include "bench/interactive/host/measure/input.h"
#include "bench/interactive/host/measure/interactive_summary.h"
#include "bench/interactive/host/measure/measure_json.h"
#include "bench/interactive/host/measure/tests/read_alone.h"
#include "kernel/input/event.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/trace/busy.h"

#define PACKET   16384
#define BEGIN    1000
#define TIMER    64
#define KEYBOARD 81
#define DPC      3
#define BENCH    1
#define ECHO     2 /* the application */
#define OTHER    4
#define QUEUE    5
#define KEY_A    0x1e
#define SAMPLE   1000

#define WAIT(reason)     TRACE_WHY(reason, THREAD_WAITING)
#define STAY(reason)     TRACE_WHY(reason, THREAD_READY)
#define SENT(kind, code) ((int64_t)(kind) << 16 | (code))
#define COUNT(array)     (sizeof(array) / sizeof((array)[0]))

/* What a test has at hand. */
struct bed {
    struct run run;
    struct run_bench *bench;
    struct trace_builder trace;
    struct run_trace_costs costs;
    struct interactive interactive;
};

static void add_threads(struct bed *bed, uint64_t at)
{
    TRACE_ADD(&bed->trace, at, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&bed->trace, at, thread_is, BENCH, 0, 20, THREAD_WAITING, WAIT_SLEEP);
    TRACE_ADD(&bed->trace, at, thread_is, ECHO, 0, 10, THREAD_WAITING, WAIT_QUEUE);
    TRACE_ADD(&bed->trace, at, thread_is, OTHER, 0, 5, THREAD_WAITING, WAIT_SLEEP);
}

/* The idle thread runs. */
static void bed_open(struct bed *bed)
{
    memset(bed, 0, sizeof(*bed));
    run_init(&bed->run);
    bed->bench = build_bench(&bed->run, "b", 1);
    build_object(bed->bench, "vector", TIMER, "lapic_timer");
    build_object(bed->bench, "vector", KEYBOARD, "i8042 keyboard");
    build_object(bed->bench, "dpc", DPC, "input");
    build_object(bed->bench, "thread", ECHO, "echo");
    build_object(bed->bench, "thread", OTHER, "other");
    trace_builder_init(&bed->trace, BEGIN, PACKET);
    add_threads(bed, BEGIN);
}

static void bed_part(struct bed *bed, uint64_t end)
{
    trace_builder_finish(&bed->trace, end, bed->bench)->costs = bed->costs;
}

static void bed_read(struct bed *bed)
{
    CHECK(interactive_read(&bed->interactive, bed->bench));
    CHECK(interactive_explain(&bed->interactive, bed->bench));
}

static void bed_finish(struct bed *bed, uint64_t end)
{
    bed_part(bed, end);
    bed_read(bed);
}

static void bed_close(struct bed *bed)
{
    interactive_free(&bed->interactive);
    run_free(&bed->run);
}

/* ---- a life ---- */

#define WRITTEN    10
#define ENTRY      20
#define STAMP      25
#define DECODED    70
#define POSTED     80
#define TAKEN      110
#define STAMP_FROM 120
#define STAMP_TO   170
#define DONE       180
#define CALLED     190
#define LIFE       200

/* A timer's handler writes the byte, whose interrupt nests in it. */
static void add_interrupts(struct bed *bed, uint64_t at)
{
    TRACE_ADD(&bed->trace, at, isr_entry, TIMER);
    TRACE_ADD(&bed->trace, at + ENTRY, isr_entry, KEYBOARD);
    TRACE_ADD(&bed->trace, at + 28, dpc_queue, DPC);
    TRACE_ADD(&bed->trace, at + 40, isr_exit, KEYBOARD);
    TRACE_ADD(&bed->trace, at + 55, isr_exit, TIMER);
}

static void add_dpc(struct bed *bed, uint64_t at, uint32_t number, enum input_kind kind,
                    uint16_t code, uint64_t length)
{
    TRACE_ADD(&bed->trace, at + 60, dpc_entry, DPC);
    TRACE_ADD(&bed->trace, at + DECODED, input, number, kind, code, at + STAMP);
    TRACE_ADD(&bed->trace, at + POSTED, queue_post, QUEUE, kind, number, length);
}

/* Posted while the application waits: it takes the message, does its work, and comes back. */
static void add_life(struct bed *bed, uint64_t at, uint32_t number, enum input_kind kind,
                     uint16_t code)
{
    add_interrupts(bed, at);
    add_dpc(bed, at, number, kind, code, 1);
    TRACE_ADD(&bed->trace, at + 84, thread_ready, ECHO, TRACE_BY(TRACE_BY_DPC, DPC));
    TRACE_ADD(&bed->trace, at + 95, dpc_exit, DPC);
    TRACE_ADD(&bed->trace, at + 100, thread_switch, 0, ECHO, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&bed->trace, at + TAKEN, queue_take, QUEUE, kind, number, 0);
    TRACE_ADD(&bed->trace, at + DONE, input_done, QUEUE, number);
    TRACE_ADD(&bed->trace, at + CALLED, queue_call, QUEUE, QUEUE_CALL_GET, 0);
    TRACE_ADD(&bed->trace, at + LIFE, thread_switch, ECHO, 0, WAIT(WAIT_QUEUE));
}

static void add_key(struct bed *bed, uint64_t at, uint32_t number)
{
    add_life(bed, at, number, INPUT_KEY_DOWN, KEY_A);
}

/* The plan and the stamps of keys whose lives begin there; each due 5 ticks before. */
static void plan_keys(struct bed *bed, const uint64_t *at, size_t n)
{
    int64_t rows[6][16];

    for (size_t i = 0; i < n; i++) {
        const int64_t since = (int64_t)(at[i] - BEGIN);

        rows[0][i] = since - 5;
        rows[1][i] = SENT(INPUT_KEY_DOWN, KEY_A);
        rows[2][i] = since + WRITTEN;
        rows[3][i] = (int64_t)i + 1;
        rows[4][i] = since + STAMP_FROM;
        rows[5][i] = since + STAMP_TO;
    }
    build_series(bed->bench, "intended", NULL, NULL, rows[0], n);
    build_series(bed->bench, "sent", NULL, NULL, rows[1], n);
    build_series(bed->bench, "written", NULL, NULL, rows[2], n);
    build_series(bed->bench, "stamp_number", NULL, NULL, rows[3], n);
    build_series(bed->bench, "stamp_from", NULL, NULL, rows[4], n);
    build_series(bed->bench, "stamp_to", NULL, NULL, rows[5], n);
}

static void set_idle_from(struct bed *bed, int64_t origin, const int64_t *samples, size_t n)
{
    build_series(bed->bench, "idle", NULL, NULL, samples, n);
    build_fact(bed->bench, "idle_origin", origin);
    build_fact(bed->bench, "iteration_millitick", 4000);
}

static void set_idle(struct bed *bed, const int64_t *samples, size_t n)
{
    set_idle_from(bed, 0, samples, n);
}

static const struct interactive_part *find_part(const struct bed *bed, const char *label)
{
    for (size_t i = 0; i < bed->interactive.part_count; i++) {
        if (strcmp(bed->interactive.parts[i].label, label) == 0) {
            return &bed->interactive.parts[i];
        }
    }
    return NULL;
}

static void check_part(const struct bed *bed, const char *label, uint64_t events, int64_t total)
{
    const struct interactive_part *part = find_part(bed, label);

    CHECK(part != NULL);
    CHECK_EQUAL(part != NULL ? part->events : 0, events);
    CHECK_EQUAL(part != NULL ? part->total : 0, total);
}

static int64_t sum_of_parts(const struct bed *bed)
{
    int64_t sum = 0;

    for (size_t i = 0; i < bed->interactive.part_count; i++) {
        sum += bed->interactive.parts[i].total;
    }
    return sum;
}

static void test_life(void)
{
    const uint64_t at[] = {1500};
    const struct interactive_event *event;
    uint64_t ticks;
    struct bed bed;

    bed_open(&bed);
    add_key(&bed, at[0], 1);
    plan_keys(&bed, at, 1);
    set_idle(&bed, (int64_t[]){SAMPLE + LIFE + 3, SAMPLE, SAMPLE}, 3);
    bed_finish(&bed, 5000);
    CHECK(bed.interactive.present && bed.interactive.in_order);
    CHECK_EQUAL(bed.interactive.count, 1);
    CHECK_EQUAL(bed.interactive.planned, 1);
    CHECK_EQUAL(bed.interactive.arrived, 1);
    CHECK_EQUAL(bed.interactive.matched, 1);
    CHECK_EQUAL(bed.interactive.missing + bed.interactive.unplanned, 0);
    CHECK_EQUAL(bed.interactive.elapsed, 5000 - BEGIN);
    CHECK_EQUAL(bed.interactive.arrival_error_min, ENTRY - WRITTEN);
    CHECK_EQUAL(bed.interactive.arrival_error_max, ENTRY - WRITTEN);
    event = &bed.interactive.events[0];
    CHECK(event->came && event->planned && !event->displaced && !event->cold && !event->has_phase);
    CHECK_EQUAL(event->number, 1);
    CHECK_EQUAL(event->kind, INPUT_KEY_DOWN);
    CHECK_EQUAL(event->code, KEY_A);
    CHECK_EQUAL(event->intended, 1500 - 5);
    CHECK_EQUAL(event->written, 1500 + WRITTEN);
    CHECK_EQUAL(event->arrival, 1500 + ENTRY);
    CHECK_EQUAL(event->decoded, 1500 + DECODED);
    CHECK_EQUAL(event->posted, 1500 + POSTED);
    CHECK_EQUAL(event->waiting, 1);
    CHECK_EQUAL(event->taken, 1500 + TAKEN);
    CHECK_EQUAL(event->thread, ECHO);
    CHECK_EQUAL(event->done, 1500 + DONE);
    CHECK(event->has_done && !event->done_by_call);
    CHECK(interactive_service(event, &ticks));
    CHECK_EQUAL(ticks, DONE - ENTRY);
    CHECK(interactive_response(event, &ticks));
    CHECK_EQUAL(ticks, DONE + 5);
    CHECK(interactive_traditional(event, &ticks));
    CHECK_EQUAL(ticks, STAMP_TO - STAMP_FROM);
    CHECK(event->has_busy && event->has_elongation && !event->shared);
    CHECK_EQUAL(event->busy, DONE - ENTRY);
    CHECK_EQUAL(event->elongation, LIFE + 3);
    CHECK_EQUAL(event->elongation_busy, LIFE);
    CHECK_EQUAL(event->samples, 1);
    bed_close(&bed);
}

/* ---- the explanation ---- */

static void test_explanation(void)
{
    const uint64_t at[] = {1500, 3500};
    struct bed bed;

    bed_open(&bed);
    add_key(&bed, at[0], 1);
    add_key(&bed, at[1], 2);
    plan_keys(&bed, at, 2);
    set_idle(&bed, (int64_t[]){SAMPLE + LIFE, SAMPLE, SAMPLE + LIFE + 3, SAMPLE}, 4);
    bed_finish(&bed, 9000);
    CHECK_EQUAL(bed.interactive.explained, 2);
    CHECK_EQUAL(bed.interactive.residual, 0);
    CHECK_EQUAL(bed.interactive.idle_residual, 3);
    CHECK_EQUAL(bed.interactive.iteration_millitick, 4000);
    check_part(&bed, "sending: interrupt lapic_timer", 2, 2 * (20 + 15));
    check_part(&bed, "interrupt i8042 keyboard", 2, 2 * 20);
    check_part(&bed, "dispatch", 2, 2 * (5 + 5));
    check_part(&bed, "DPC input, before the post", 2, 2 * 20);
    check_part(&bed, "DPC input, from the post on", 2, 2 * 15);
    check_part(&bed, "thread echo, before its first stamp", 2, 2 * 20);
    check_part(&bed, "thread echo, after its second stamp", 2, 2 * 30);
    CHECK_EQUAL(bed.interactive.part_count, 7);
    CHECK_EQUAL(sum_of_parts(&bed), 2 * (LIFE - (STAMP_TO - STAMP_FROM)));
    bed_close(&bed);
}

/* The same at 4 ticks a record, 1 of them before its stamp; an interrupt begins 3 before its stamp
 * and ends 6 behind, a switch back to the idle thread 5 behind. */
static void test_explanation_with_costs(void)
{
    const uint64_t at[] = {1500};
    struct bed bed;

    bed_open(&bed);
    bed.costs = (struct run_trace_costs){
        .record = 4, .lead = 1, .extended = 4, .isr_lead = 3, .isr_trail = 6, .switch_trail = 5};
    add_key(&bed, at[0], 1);
    plan_keys(&bed, at, 1);
    set_idle_from(&bed, 100, (int64_t[]){SAMPLE + 3 + LIFE + 5, SAMPLE}, 2);
    bed_finish(&bed, 5000);
    CHECK_EQUAL(bed.interactive.events[0].arrival, 1500 + ENTRY - 3);
    CHECK_EQUAL(bed.interactive.events[0].elongation_busy, 3 + LIFE + 5);
    CHECK_EQUAL(bed.interactive.explained, 1);
    CHECK_EQUAL(bed.interactive.residual, 0);
    CHECK_EQUAL(bed.interactive.idle_residual, 0);
    check_part(&bed, "tracer", 1, 15 * 4);
    check_part(&bed, "sending: interrupt lapic_timer", 1, 2 + 14 + 8);
    check_part(&bed, "interrupt i8042 keyboard", 1, 2 + 4 + 8 + 3);
    check_part(&bed, "dispatch", 1, 1 + 1 + 2);
    check_part(&bed, "DPC input, before the post", 1, 6 + 6);
    check_part(&bed, "DPC input, from the post on", 1, 7);
    check_part(&bed, "thread echo, before its first stamp", 1, 6 + 7);
    check_part(&bed, "thread echo, after its second stamp", 1, 9 + 6 + 6);
    CHECK_EQUAL(sum_of_parts(&bed), 3 + LIFE + 5 - (STAMP_TO - STAMP_FROM));
    bed_close(&bed);
}

/* Input from outside, without a sender. Another interrupt before, and one within the stamps, which
 * are a part of these; behind the application another thread, with a page fault. */
static void test_explanation_of_others(void)
{
    struct bed bed;

    bed_open(&bed);
    TRACE_ADD(&bed.trace, 1500, isr_entry, TIMER);
    TRACE_ADD(&bed.trace, 1510, isr_exit, TIMER);
    TRACE_ADD(&bed.trace, 1600, isr_entry, KEYBOARD);
    TRACE_ADD(&bed.trace, 1605, input, 1, INPUT_KEY_DOWN, KEY_A, 1602);
    TRACE_ADD(&bed.trace, 1606, queue_post, QUEUE, QUEUE_KEY_DOWN, 1, 1);
    TRACE_ADD(&bed.trace, 1607, thread_ready, ECHO, TRACE_BY(TRACE_BY_VECTOR, KEYBOARD));
    TRACE_ADD(&bed.trace, 1608, isr_exit, KEYBOARD);
    TRACE_ADD(&bed.trace, 1610, thread_switch, 0, ECHO, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&bed.trace, 1615, queue_take, QUEUE, QUEUE_KEY_DOWN, 1, 0);
    TRACE_ADD(&bed.trace, 1630, isr_entry, TIMER);
    TRACE_ADD(&bed.trace, 1640, isr_exit, TIMER);
    TRACE_ADD(&bed.trace, 1650, thread_ready, OTHER, ECHO);
    TRACE_ADD(&bed.trace, 1670, input_done, QUEUE, 1);
    TRACE_ADD(&bed.trace, 1680, thread_switch, ECHO, OTHER, WAIT(WAIT_QUEUE));
    TRACE_ADD(&bed.trace, 1690, fault_entry, 0, 0);
    TRACE_ADD(&bed.trace, 1697, fault_exit, 0);
    TRACE_ADD(&bed.trace, 1720, thread_switch, OTHER, 0, WAIT(WAIT_SLEEP));
    build_series(bed.bench, "stamp_number", NULL, NULL, (int64_t[]){1}, 1);
    build_series(bed.bench, "stamp_from", NULL, NULL, (int64_t[]){620}, 1);
    build_series(bed.bench, "stamp_to", NULL, NULL, (int64_t[]){660}, 1);
    set_idle(&bed, (int64_t[]){SAMPLE + 130, SAMPLE}, 2);
    bed_finish(&bed, 4000);
    CHECK_EQUAL(bed.interactive.explained, 1);
    CHECK_EQUAL(bed.interactive.residual, 0);
    check_part(&bed, "interrupt lapic_timer", 1, 10);
    check_part(&bed, "interrupt i8042 keyboard", 1, 8);
    check_part(&bed, "dispatch", 1, 2);
    check_part(&bed, "thread echo, before its first stamp", 1, 10);
    check_part(&bed, "thread echo, after its second stamp", 1, 20);
    check_part(&bed, "thread other", 1, 10 + 23);
    check_part(&bed, "page fault of other", 1, 7);
    CHECK_EQUAL(bed.interactive.part_count, 7);
    CHECK_EQUAL(bed.interactive.planned, 0);
    CHECK_EQUAL(bed.interactive.unplanned, 1);
    bed_close(&bed);
}

/* The application waits for a disk between its stamps: they hold time in which nothing ran, over
 * two samples. */
static void test_explanation_of_idle(void)
{
    struct bed bed;

    bed_open(&bed);
    TRACE_ADD(&bed.trace, 1600, isr_entry, KEYBOARD);
    TRACE_ADD(&bed.trace, 1605, input, 1, INPUT_KEY_DOWN, KEY_A, 1602);
    TRACE_ADD(&bed.trace, 1606, queue_post, QUEUE, QUEUE_KEY_DOWN, 1, 1);
    TRACE_ADD(&bed.trace, 1607, thread_ready, ECHO, TRACE_BY(TRACE_BY_VECTOR, KEYBOARD));
    TRACE_ADD(&bed.trace, 1608, isr_exit, KEYBOARD);
    TRACE_ADD(&bed.trace, 1610, thread_switch, 0, ECHO, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&bed.trace, 1615, queue_take, QUEUE, QUEUE_KEY_DOWN, 1, 0);
    TRACE_ADD(&bed.trace, 1700, thread_switch, ECHO, 0, WAIT(WAIT_SEMAPHORE));
    TRACE_ADD(&bed.trace, 2400, isr_entry, TIMER);
    TRACE_ADD(&bed.trace, 2410, thread_ready, ECHO, TRACE_BY(TRACE_BY_VECTOR, TIMER));
    TRACE_ADD(&bed.trace, 2415, isr_exit, TIMER);
    TRACE_ADD(&bed.trace, 2420, thread_switch, 0, ECHO, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&bed.trace, 2480, input_done, QUEUE, 1);
    TRACE_ADD(&bed.trace, 2500, thread_switch, ECHO, 0, WAIT(WAIT_QUEUE));
    build_series(bed.bench, "stamp_number", NULL, NULL, (int64_t[]){1}, 1);
    build_series(bed.bench, "stamp_from", NULL, NULL, (int64_t[]){620}, 1);
    build_series(bed.bench, "stamp_to", NULL, NULL, (int64_t[]){1470}, 1);
    /* 1000-2100 holds 1600-1700, -3200 holds 2400-2500. */
    set_idle(&bed, (int64_t[]){SAMPLE + 100, SAMPLE + 100, SAMPLE}, 3);
    bed_finish(&bed, 6000);
    CHECK_EQUAL(bed.interactive.events[0].samples, 2);
    CHECK_EQUAL(bed.interactive.events[0].elongation, 200);
    CHECK_EQUAL(bed.interactive.events[0].elongation_busy, 200);
    CHECK_EQUAL(bed.interactive.events[0].busy, 2480 - 1600 - 700);
    CHECK_EQUAL(bed.interactive.explained, 1);
    CHECK_EQUAL(bed.interactive.residual, 0);
    check_part(&bed, "thread idle, between the stamps", 1, -700);
    check_part(&bed, "thread echo, after its second stamp", 1, 30);
    CHECK(find_part(&bed, "interrupt lapic_timer") == NULL);
    bed_close(&bed);
}

/* Lives of random lengths and costs: the parts are always what the stamps leave, to the tick. */
static void test_explanation_of_any(void)
{
    uint64_t random = 12345;

    for (unsigned round = 0; round < 200; round++) {
        const uint64_t at[] = {1100 + unit_random(&random) % 700};
        const int64_t from = TAKEN + (int64_t)(unit_random(&random) % 60);
        const int64_t to = from + (int64_t)(unit_random(&random) % 60);
        struct bed bed;

        bed_open(&bed);
        bed.costs = (struct run_trace_costs){
            .record = (uint32_t)(unit_random(&random) % 40),
            .lead = (uint32_t)(unit_random(&random) % 20),
            .extended = (uint32_t)(unit_random(&random) % 50),
            .isr_lead = (uint32_t)(unit_random(&random) % 90),
            .isr_trail = (uint32_t)(unit_random(&random) % 90),
            .switch_trail = (uint32_t)(unit_random(&random) % 90),
        };
        add_key(&bed, at[0], 1);
        plan_keys(&bed, at, 1);
        run_find_series(bed.bench, "stamp_from")->samples[0] = (int64_t)at[0] - BEGIN + from;
        run_find_series(bed.bench, "stamp_to")->samples[0] = (int64_t)at[0] - BEGIN + to;
        set_idle(&bed, (int64_t[]){SAMPLE + LIFE, SAMPLE, SAMPLE}, 3);
        bed_finish(&bed, 6000);
        CHECK_EQUAL(bed.interactive.explained, 1);
        CHECK_EQUAL(bed.interactive.residual, 0);
        CHECK_EQUAL(sum_of_parts(&bed),
                    (int64_t)bed.interactive.events[0].elongation_busy - (to - from));
        bed_close(&bed);
    }
}

/* ---- ends ---- */

/* The application takes `number`; it runs. */
static void add_take(struct bed *bed, uint64_t at, uint32_t number)
{
    TRACE_ADD(&bed->trace, at, queue_take, QUEUE, QUEUE_KEY_DOWN, number, 0);
}

/* Three keys, decoded and posted at 1100, 1110, 1120; then the application runs. */
static void add_three(struct bed *bed)
{
    for (uint32_t i = 1; i <= 3; i++) {
        const uint64_t at = 1090 + 10 * i;

        TRACE_ADD(&bed->trace, at, input, i, INPUT_KEY_DOWN, KEY_A, at - 5);
        TRACE_ADD(&bed->trace, at + 2, queue_post, QUEUE, QUEUE_KEY_DOWN, i, i);
    }
    TRACE_ADD(&bed->trace, 1130, thread_ready, ECHO, 0);
    TRACE_ADD(&bed->trace, 1140, thread_switch, 0, ECHO, STAY(WAIT_OVERTAKEN));
}

static void check_done(const struct bed *bed, size_t index, uint64_t at, bool by_call)
{
    const struct interactive_event *event = &bed->interactive.events[index];

    CHECK_EQUAL(event->has_done, at != 0);
    CHECK_EQUAL(event->has_done ? event->done : 0, at);
    CHECK_EQUAL(event->done_by_call, by_call);
}

/* One input_done for all that were taken before it; not for what is taken later. */
static void test_done_of_batch(void)
{
    struct bed bed;

    bed_open(&bed);
    add_three(&bed);
    add_take(&bed, 1150, 1);
    add_take(&bed, 1160, 2);
    TRACE_ADD(&bed.trace, 1165, input_done, QUEUE + 1, 2); /* of another queue */
    TRACE_ADD(&bed.trace, 1170, input_done, QUEUE, 2);
    add_take(&bed, 1180, 3);
    TRACE_ADD(&bed.trace, 1185, input_done, QUEUE, 2); /* an earlier one */
    TRACE_ADD(&bed.trace, 1190, queue_call, QUEUE, QUEUE_CALL_GET, 0);
    TRACE_ADD(&bed.trace, 1200, input_done, QUEUE, 3);
    bed_finish(&bed, 1300);
    check_done(&bed, 0, 1170, false);
    check_done(&bed, 1, 1170, false);
    check_done(&bed, 2, 1200, false);
    CHECK_EQUAL(bed.interactive.events[2].waiting, 3);
    CHECK_EQUAL(bed.interactive.events[0].arrival, 1095); /* read in no handler */
    bed_close(&bed);
}

/* A thread without an input_done: an input ends at the thread's next call, not at a return. */
static void test_done_by_call(void)
{
    struct bed bed;

    bed_open(&bed);
    add_three(&bed);
    add_take(&bed, 1150, 1);
    add_take(&bed, 1155, 2);
    TRACE_ADD(&bed.trace, 1157, queue_call, QUEUE, QUEUE_RETURN_EMPTY, 0);
    TRACE_ADD(&bed.trace, 1160, queue_call, QUEUE, QUEUE_CALL_PEEK, 0);
    TRACE_ADD(&bed.trace, 1170, queue_call, QUEUE, QUEUE_CALL_GET, 0);
    add_take(&bed, 1180, 3);
    bed_finish(&bed, 1300);
    check_done(&bed, 0, 1160, true);
    check_done(&bed, 1, 1160, true);
    check_done(&bed, 2, 0, false); /* never called again */
    bed_close(&bed);
}

/* A thread with an input_done for some inputs: a call is not the end of the others. */
static void test_not_done(void)
{
    uint64_t ticks;
    struct bed bed;

    bed_open(&bed);
    add_three(&bed);
    add_take(&bed, 1150, 1);
    TRACE_ADD(&bed.trace, 1160, input_done, QUEUE, 1);
    add_take(&bed, 1170, 2);
    TRACE_ADD(&bed.trace, 1180, queue_call, QUEUE, QUEUE_CALL_GET, 0);
    bed_finish(&bed, 1300);
    check_done(&bed, 0, 1160, false);
    check_done(&bed, 1, 0, false);
    CHECK(bed.interactive.events[1].has_taken);
    CHECK(bed.interactive.events[2].has_posted && !bed.interactive.events[2].has_taken);
    CHECK(!interactive_service(&bed.interactive.events[1], &ticks));
    CHECK(!interactive_response(&bed.interactive.events[2], &ticks));
    CHECK(!bed.interactive.events[2].has_busy);
    bed_close(&bed);
}

/* Another thread's calls and ends are not those of the one that took it. */
static void test_done_by_others(void)
{
    struct bed bed;

    bed_open(&bed);
    add_three(&bed);
    add_take(&bed, 1150, 1);
    TRACE_ADD(&bed.trace, 1155, thread_ready, OTHER, ECHO);
    TRACE_ADD(&bed.trace, 1160, thread_switch, ECHO, OTHER, STAY(WAIT_YIELD));
    TRACE_ADD(&bed.trace, 1165, queue_call, QUEUE, QUEUE_CALL_WAIT_IDLE, 2);
    TRACE_ADD(&bed.trace, 1170, input_done, QUEUE, 3);
    TRACE_ADD(&bed.trace, 1180, thread_switch, OTHER, ECHO, WAIT(WAIT_QUEUE_IDLE));
    TRACE_ADD(&bed.trace, 1190, queue_call, QUEUE, QUEUE_CALL_GET, 2);
    bed_finish(&bed, 1300);
    check_done(&bed, 0, 1190, true);
    bed_close(&bed);
}

/* A driver's message about an input is not the input's. */
static void test_sync_messages(void)
{
    struct bed bed;

    bed_open(&bed);
    TRACE_ADD(&bed.trace, 1100, input, 1, INPUT_KEY_DOWN, KEY_A, 1095);
    TRACE_ADD(&bed.trace, 1105, queue_post, QUEUE, QUEUE_SYNC, 1, 1);
    TRACE_ADD(&bed.trace, 1110, queue_post, QUEUE, QUEUE_KEY_DOWN, 1, 2);
    TRACE_ADD(&bed.trace, 1112, queue_post, QUEUE + 1, QUEUE_KEY_DOWN, 1, 7); /* and again */
    TRACE_ADD(&bed.trace, 1120, thread_ready, ECHO, 0);
    TRACE_ADD(&bed.trace, 1130, thread_switch, 0, ECHO, STAY(WAIT_OVERTAKEN));
    TRACE_ADD(&bed.trace, 1140, queue_take, QUEUE, QUEUE_SYNC, 1, 1);
    TRACE_ADD(&bed.trace, 1150, queue_take, QUEUE, QUEUE_KEY_DOWN, 1, 0);
    TRACE_ADD(&bed.trace, 1155, queue_take, QUEUE, QUEUE_KEY_DOWN, 9, 0); /* of no event */
    TRACE_ADD(&bed.trace, 1160, queue_call, QUEUE, QUEUE_CALL_GET, 0);
    bed_finish(&bed, 1300);
    CHECK_EQUAL(bed.interactive.count, 1);
    CHECK_EQUAL(bed.interactive.events[0].posted, 1110);
    CHECK_EQUAL(bed.interactive.events[0].waiting, 2);
    CHECK_EQUAL(bed.interactive.events[0].taken, 1150);
    check_done(&bed, 0, 1160, true);
    bed_close(&bed);
}

/* An event that no queue wants: as much as there is of it. */
static void test_unposted(void)
{
    struct bed bed;

    bed_open(&bed);
    add_interrupts(&bed, 1500);
    TRACE_ADD(&bed.trace, 1560, dpc_entry, DPC);
    TRACE_ADD(&bed.trace, 1570, input, 0, INPUT_MOVE, 0, 1500 + STAMP); /* without a number */
    TRACE_ADD(&bed.trace, 1580, dpc_exit, DPC);
    TRACE_ADD(&bed.trace, 1590, queue_post, QUEUE, QUEUE_MOVE, 0, 1);
    set_idle(&bed, (int64_t[]){SAMPLE + 80, SAMPLE}, 2);
    bed_finish(&bed, 4000);
    CHECK_EQUAL(bed.interactive.count, 1);
    CHECK(bed.interactive.events[0].came && !bed.interactive.events[0].has_posted);
    CHECK_EQUAL(bed.interactive.events[0].arrival, 1500 + ENTRY);
    CHECK(bed.interactive.events[0].has_elongation);
    CHECK_EQUAL(bed.interactive.events[0].elongation, 80);
    CHECK_EQUAL(bed.interactive.explained, 0);
    bed_close(&bed);
}

/* ---- arrivals ---- */

/* A stamp that is before the trace or behind the record of its event is none. */
static void test_arrival_made_up(void)
{
    struct bed bed;

    bed_open(&bed);
    TRACE_ADD(&bed.trace, 1100, input, 1, INPUT_KEY_DOWN, KEY_A, 1101);
    TRACE_ADD(&bed.trace, 1200, input, 2, INPUT_KEY_DOWN, KEY_A, BEGIN - 1);
    TRACE_ADD(&bed.trace, 1300, input, 3, INPUT_KEY_DOWN, KEY_A, UINT64_MAX);
    TRACE_ADD(&bed.trace, 1400, input, 4, INPUT_KEY_DOWN, KEY_A, 1400);
    set_idle(&bed, (int64_t[]){SAMPLE, SAMPLE}, 2);
    bed_finish(&bed, 4000);
    CHECK_EQUAL(bed.interactive.count, 4);
    for (size_t i = 0; i < 3; i++) {
        CHECK(!bed.interactive.events[i].has_arrival && !bed.interactive.events[i].has_elongation);
        CHECK_EQUAL(bed.interactive.events[i].number, i + 1); /* by when they were decoded */
    }
    CHECK_EQUAL(bed.interactive.events[3].arrival, 1400);
    CHECK(!bed.interactive.has_arrival_error);
    bed_close(&bed);
}

/* The stamp of its handler's entry is behind the opening of a packet, which is the tracer's. */
static void test_arrival_behind_packet(void)
{
    struct bed bed;

    bed_open(&bed);
    bed.costs.isr_lead = 7;
    trace_builder_turn(&bed.trace, 1100, 1100, 30);
    TRACE_ADD(&bed.trace, 1200, isr_entry, KEYBOARD);
    TRACE_ADD(&bed.trace, 1220, isr_exit, KEYBOARD);
    TRACE_ADD(&bed.trace, 1300, input, 1, INPUT_KEY_DOWN, KEY_A, 1210);
    bed_finish(&bed, 1400);
    CHECK_EQUAL(bed.interactive.events[0].arrival, 1200 - 30 - 7);
    bed_close(&bed);
}

/* Two bytes of one handler's, decoded when another interrupt has come and gone; and one that was
 * read in the outer handler, before the inner. */
static void test_arrival_in_handlers(void)
{
    struct bed bed;

    bed_open(&bed);
    bed.costs.isr_lead = 7;
    TRACE_ADD(&bed.trace, 1100, isr_entry, TIMER);
    TRACE_ADD(&bed.trace, 1120, isr_entry, KEYBOARD);
    TRACE_ADD(&bed.trace, 1140, isr_exit, KEYBOARD);
    TRACE_ADD(&bed.trace, 1150, isr_exit, TIMER);
    TRACE_ADD(&bed.trace, 1200, isr_entry, TIMER);
    TRACE_ADD(&bed.trace, 1210, isr_exit, TIMER);
    TRACE_ADD(&bed.trace, 1300, input, 1, INPUT_KEY_DOWN, KEY_A, 1110);
    TRACE_ADD(&bed.trace, 1310, input, 2, INPUT_KEY_DOWN, KEY_A, 1125);
    TRACE_ADD(&bed.trace, 1320, input, 3, INPUT_KEY_DOWN, KEY_A, 1145);
    TRACE_ADD(&bed.trace, 1330, input, 4, INPUT_KEY_DOWN, KEY_A, 1160);
    bed_finish(&bed, 1400);
    CHECK_EQUAL(bed.interactive.events[0].arrival, 1100 - 7);
    CHECK_EQUAL(bed.interactive.events[1].arrival, 1100 - 7);
    CHECK_EQUAL(bed.interactive.events[0].number, 1);
    CHECK_EQUAL(bed.interactive.events[1].number, 3);
    CHECK_EQUAL(bed.interactive.events[2].arrival, 1120 - 7);
    CHECK_EQUAL(bed.interactive.events[3].arrival, 1160);
    bed_close(&bed);
}

/* ---- the plan ---- */

/* Characters that are planned and that come, as codes of keys; one in 100 ticks. `lost`: so many
 * numbers are missing before the one at that place. */
static void read_text(struct bed *bed, const char *plan, const char *came, size_t lost_at,
                      uint32_t lost)
{
    int64_t sent[64];
    int64_t intended[64];
    uint32_t number = 0;

    bed_open(bed);
    for (size_t i = 0; i < strlen(plan); i++) {
        sent[i] = SENT(INPUT_KEY_DOWN, plan[i]);
        intended[i] = 100 * (int64_t)(i + 1);
    }
    build_series(bed->bench, "sent", NULL, NULL, sent, strlen(plan));
    build_series(bed->bench, "intended", NULL, NULL, intended, strlen(plan));
    for (size_t i = 0; i < strlen(came); i++) {
        const uint64_t at = BEGIN + 105 + 100 * i;

        number += i == lost_at ? lost + 1 : 1;
        TRACE_ADD(&bed->trace, at, input, number, INPUT_KEY_DOWN, came[i], at);
    }
    bed_finish(bed, BEGIN + 10000);
}

static void check_match(const char *plan, const char *came, size_t matched, bool in_order)
{
    struct bed bed;

    read_text(&bed, plan, came, SIZE_MAX, 0);
    CHECK_EQUAL(bed.interactive.planned, strlen(plan));
    CHECK_EQUAL(bed.interactive.arrived, strlen(came));
    CHECK_EQUAL(bed.interactive.matched, matched);
    CHECK_EQUAL(bed.interactive.missing, strlen(plan) - matched);
    CHECK_EQUAL(bed.interactive.unplanned, strlen(came) - matched);
    CHECK_EQUAL(bed.interactive.count, strlen(plan) + strlen(came) - matched);
    CHECK_EQUAL(bed.interactive.in_order, in_order);
    CHECK_EQUAL(bed.interactive.present, bed.interactive.count > 0);
    bed_close(&bed);
}

static void test_match(void)
{
    check_match("hello", "hello", 5, true);
    check_match("", "", 0, true);
    check_match("", "ab", 0, true);
    check_match("hello", "", 0, true);
    check_match("hello", "ello", 4, true);
    check_match("hello", "helo", 4, true);
    check_match("hello", "hell", 4, true);
    check_match("hello", "hxello", 5, true);
    check_match("hello", "hellox", 5, true);
    check_match("hello", "xyzhello", 5, true);
    check_match("hello", "hexlo", 4, true);
    check_match("abcdef", "bacdef", 6, false);
    check_match("abcdef", "abcdfe", 6, false);
    check_match("abcdef", "fedcba", 6, false);
    check_match("aaaa", "bbbb", 0, true);
}

/* Which of them: what is missing lies where it was due, and others keep their moments. */
static void test_missing(void)
{
    struct bed bed;

    read_text(&bed, "hello", "helo", SIZE_MAX, 0);
    CHECK_EQUAL(bed.interactive.events[4].code, 'o');
    CHECK_EQUAL(bed.interactive.events[4].intended, BEGIN + 500);
    CHECK(!bed.interactive.events[3].came || !bed.interactive.events[2].came);
    bed_close(&bed);

    read_text(&bed, "abcdef", "bacdef", SIZE_MAX, 0);
    CHECK_EQUAL(bed.interactive.events[0].code, 'b');
    CHECK_EQUAL(bed.interactive.events[0].intended, BEGIN + 200);
    CHECK_EQUAL(bed.interactive.events[1].intended, BEGIN + 100);
    CHECK(!bed.interactive.events[0].displaced && bed.interactive.events[1].displaced);
    bed_close(&bed);
}

/* A part of the trace of equal keys was lost: the driver's numbers identify them. */
static void test_lost(void)
{
    struct bed bed;

    read_text(&bed, "aaaaaaaa", "aaaaa", 2, 3);
    CHECK_EQUAL(bed.interactive.matched, 5);
    CHECK_EQUAL(bed.interactive.missing, 3);
    for (size_t i = 0; i < bed.interactive.count; i++) {
        const struct interactive_event *event = &bed.interactive.events[i];

        CHECK(event->planned);
        CHECK(!event->came || event->intended == BEGIN + 100 * (uint64_t)event->number);
    }
    bed_close(&bed);
}

/* Numbers of a plan that are nothing: no kind, no moment. */
static void test_plan_made_up(void)
{
    const int64_t sent[] = {-1, INT64_MAX, SENT(INPUT_KEY_DOWN, KEY_A), SENT(255, 1)};
    const int64_t times[] = {INT64_MIN, INT64_MAX, -1, -1001};
    struct bed bed;

    bed_open(&bed);
    TRACE_ADD(&bed.trace, 1100, input, 1, INPUT_KEY_DOWN, KEY_A, 1100);
    build_series(bed.bench, "sent", NULL, NULL, sent, COUNT(sent));
    build_series(bed.bench, "intended", NULL, NULL, times, COUNT(times));
    build_series(bed.bench, "written", NULL, NULL, times, COUNT(times));
    build_series(bed.bench, "cold", NULL, NULL, (int64_t[]){0, 0, 1}, 3);
    build_series(bed.bench, "phase", NULL, NULL, (int64_t[]){-1, INT64_MAX, 256}, 3);
    bed_finish(&bed, 4000);
    CHECK_EQUAL(bed.interactive.planned, 4);
    CHECK_EQUAL(bed.interactive.matched, 1);
    for (size_t i = 0; i < bed.interactive.count; i++) {
        const struct interactive_event *event = &bed.interactive.events[i];

        CHECK_EQUAL(event->cold, event->came);
        CHECK(!event->has_phase);
        CHECK(!event->came || (event->has_intended && event->intended == BEGIN - 1));
        CHECK(!event->has_written || event->came || event->written > BEGIN);
    }
    bed_close(&bed);
}

/* Without a trace: what was planned is there, and missing. */
static void test_no_trace(void)
{
    struct bed bed;

    memset(&bed, 0, sizeof(bed));
    run_init(&bed.run);
    bed.bench = build_bench(&bed.run, "b", 1);
    bed_read(&bed);
    CHECK(!bed.interactive.present);
    interactive_free(&bed.interactive);
    build_series(bed.bench, "sent", NULL, NULL, (int64_t[]){SENT(INPUT_KEY_DOWN, KEY_A)}, 1);
    bed_read(&bed);
    CHECK(bed.interactive.present);
    CHECK_EQUAL(bed.interactive.missing, 1);
    bed_close(&bed);
}

/* ---- stamps ---- */

static void check_stamps(int64_t number, int64_t from, int64_t to, bool good)
{
    struct bed bed;

    bed_open(&bed);
    add_key(&bed, 1500, 1);
    build_series(bed.bench, "stamp_number", NULL, NULL, &number, 1);
    build_series(bed.bench, "stamp_from", NULL, NULL, &from, 1);
    build_series(bed.bench, "stamp_to", NULL, NULL, &to, 1);
    set_idle(&bed, (int64_t[]){SAMPLE + LIFE, SAMPLE}, 2);
    bed_finish(&bed, 5000);
    CHECK_EQUAL(bed.interactive.events[0].has_stamps, good);
    CHECK_EQUAL(bed.interactive.explained, good);
    CHECK_EQUAL(bed.interactive.residual, 0);
    bed_close(&bed);
}

static void test_stamps(void)
{
    check_stamps(1, 500 + STAMP_FROM, 500 + STAMP_TO, true);
    check_stamps(1, 500 + STAMP_FROM, 500 + STAMP_FROM, true);
    check_stamps(1, 500 + STAMP_TO, 500 + STAMP_FROM, false);
    check_stamps(1, 500 + TAKEN - 1, 500 + STAMP_TO, false); /* before it had it */
    check_stamps(1, 0, 500 + STAMP_TO, false);
    check_stamps(2, 500 + STAMP_FROM, 500 + STAMP_TO, false);
    check_stamps(0, 500 + STAMP_FROM, 500 + STAMP_TO, false);
    check_stamps(-1, 500 + STAMP_FROM, 500 + STAMP_TO, false);
    check_stamps(INT64_MAX, 500 + STAMP_FROM, 500 + STAMP_TO, false);
    check_stamps(1, INT64_MIN, 500 + STAMP_TO, false);
}

/* Numbers begin anew with the second part. */
static void test_numbers_again(void)
{
    struct bed bed;

    bed_open(&bed);
    add_key(&bed, 1500, 1);
    bed_part(&bed, 3000);
    trace_builder_init(&bed.trace, 4000, PACKET);
    add_threads(&bed, 4000);
    add_key(&bed, 4500, 1);
    build_series(bed.bench, "stamp_number", NULL, NULL, (int64_t[]){1, 1}, 2);
    build_series(bed.bench, "stamp_from", NULL, NULL, (int64_t[]){620, 3620}, 2);
    build_series(bed.bench, "stamp_to", NULL, NULL, (int64_t[]){660, 3670}, 2);
    bed_finish(&bed, 6000);
    CHECK_EQUAL(bed.interactive.count, 2);
    CHECK_EQUAL(bed.interactive.elapsed, 2000 + 2000);
    CHECK_EQUAL(bed.interactive.events[0].stamp_to, 1660);
    CHECK_EQUAL(bed.interactive.events[1].stamp_to, 4670);
    check_done(&bed, 0, 1500 + DONE, false);
    check_done(&bed, 1, 4500 + DONE, false);
    CHECK(!bed.interactive.events[0].has_elongation); /* there is no idle loop */
    CHECK_EQUAL(bed.interactive.events[1].busy, DONE - ENTRY);
    bed_close(&bed);
}

/* ---- the idle loop ---- */

/* Two in one sample; one that lies over the next two; one alone. */
static void test_shared(void)
{
    struct bed bed;

    bed_open(&bed);
    add_key(&bed, 1100, 1);
    add_key(&bed, 1500, 2);
    add_key(&bed, 3000, 3);
    add_key(&bed, 9000, 4);
    /* 1000-2400, -3500 and so on: the third lies in 2400-3500, the fourth in 8500-9700. */
    set_idle(&bed, (int64_t[]){1400, 1200, 1000, 1000, 1000, 1000, 1000, 1200, 1000}, 9);
    bed_finish(&bed, 12000);
    CHECK_EQUAL(bed.interactive.count, 4);
    for (size_t i = 0; i < 4; i++) {
        CHECK(bed.interactive.events[i].has_elongation);
        CHECK_EQUAL(bed.interactive.events[i].shared, i < 2);
        CHECK_EQUAL(bed.interactive.events[i].elongation, i < 2 ? 400 : 200);
        CHECK_EQUAL(bed.interactive.events[i].elongation_busy, i < 2 ? 400 : 200);
    }
    bed_close(&bed);
}

/* An event whose end lies behind another's: both share. And a gap in one's samples. */
static void test_shared_across(void)
{
    struct bed bed;

    bed_open(&bed);
    add_interrupts(&bed, 1500);
    add_dpc(&bed, 1500, 1, INPUT_BUTTON_DOWN, 0, 1);
    TRACE_ADD(&bed.trace, 1590, dpc_exit, DPC);
    add_interrupts(&bed, 5500);
    add_dpc(&bed, 5500, 2, INPUT_BUTTON_UP, 0, 2);
    TRACE_ADD(&bed.trace, 5584, thread_ready, ECHO, TRACE_BY(TRACE_BY_DPC, DPC));
    TRACE_ADD(&bed.trace, 5595, dpc_exit, DPC);
    TRACE_ADD(&bed.trace, 5600, thread_switch, 0, ECHO, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&bed.trace, 5610, queue_take, QUEUE, QUEUE_BUTTON_DOWN, 1, 1);
    TRACE_ADD(&bed.trace, 5620, queue_take, QUEUE, QUEUE_BUTTON_UP, 2, 0);
    TRACE_ADD(&bed.trace, 5680, input_done, QUEUE, 2);
    TRACE_ADD(&bed.trace, 5700, thread_switch, ECHO, 0, WAIT(WAIT_QUEUE));
    set_idle(&bed, (int64_t[]){1090, 1000, 1000, 1000, 1200, 1000}, 6);
    bed_finish(&bed, 8000);
    CHECK(bed.interactive.events[0].shared && bed.interactive.events[1].shared);
    CHECK_EQUAL(bed.interactive.events[0].samples, 5);
    CHECK_EQUAL(bed.interactive.events[0].elongation, 90 + 200);
    CHECK_EQUAL(bed.interactive.events[0].busy, 5680 - 1520 - (5500 - 1590));
    CHECK_EQUAL(bed.interactive.events[1].samples, 1);
    CHECK_EQUAL(bed.interactive.events[1].elongation, 200);
    bed_close(&bed);
}

/* Between its arrival and its end a packet is lost: no busy time, and nothing of its samples. */
static void test_gap(void)
{
    struct bed bed;

    bed_open(&bed);
    add_interrupts(&bed, 1500);
    add_dpc(&bed, 1500, 1, INPUT_KEY_DOWN, KEY_A, 1);
    trace_builder_turn(&bed.trace, 1585, 1585, 0);
    TRACE_ADD(&bed.trace, 1590, mark, 0, 0);
    trace_builder_lose(&bed.trace);
    trace_builder_turn(&bed.trace, 1605, 1605, 0);
    TRACE_ADD(&bed.trace, 1606, thread_switch, 0, ECHO, STAY(WAIT_PREEMPTED));
    add_take(&bed, 1610, 1);
    TRACE_ADD(&bed.trace, 1680, input_done, QUEUE, 1);
    TRACE_ADD(&bed.trace, 1700, thread_switch, ECHO, 0, WAIT(WAIT_QUEUE));
    plan_keys(&bed, (uint64_t[]){1500}, 1);
    set_idle(&bed, (int64_t[]){1200, 1000}, 2);
    bed_finish(&bed, 8000);
    check_done(&bed, 0, 1680, false);
    CHECK(!bed.interactive.events[0].has_busy && !bed.interactive.events[0].has_elongation);
    CHECK(bed.interactive.events[0].has_stamps);
    CHECK_EQUAL(bed.interactive.explained, 0);
    bed_close(&bed);
}

/* Samples that end before it, or begin after it. */
static void test_outside(void)
{
    struct bed bed;

    bed_open(&bed);
    add_key(&bed, 1100, 1);
    add_key(&bed, 3500, 2);
    add_key(&bed, 5500, 3);
    build_series(bed.bench, "idle", NULL, NULL, (int64_t[]){1000, 1200, 1000, 1200}, 4);
    build_hole(run_find_series(bed.bench, "idle"), 2); /* what is after it has no place */
    build_fact(bed.bench, "idle_origin", 1000);        /* 2000-3000, -4200 */
    bed_finish(&bed, 8000);
    CHECK(!bed.interactive.events[0].has_elongation);
    CHECK(bed.interactive.events[1].has_elongation);
    CHECK_EQUAL(bed.interactive.events[1].elongation, 200);
    CHECK(!bed.interactive.events[2].has_elongation);
    bed_close(&bed);
}

/* Two samples count 50 and 52 where nothing runs but the loop, a third is busy. */
static void test_counts(void)
{
    struct bed bed;

    bed_open(&bed);
    add_key(&bed, 2500, 1);
    set_idle(&bed, (int64_t[]){1000, 1200, 1000, 1000}, 4);
    build_series(bed.bench, "idle.instructions", "idle", "instructions",
                 (int64_t[]){50, 90, 52, 52}, 4);
    build_series(bed.bench, "idle.cycles", "idle", "cycles", (int64_t[]){50, 90, 52, 51}, 4);
    build_hole(run_find_series(bed.bench, "idle.cycles"), 1);
    build_series(bed.bench, "entry.cycles", "entry", "cycles", (int64_t[]){50}, 1);
    bed_finish(&bed, 8000);
    CHECK_EQUAL(bed.interactive.counted_count, 2);
    CHECK_TEXT(bed.interactive.counted[0], "instructions");
    CHECK(bed.interactive.events[0].counts[0].known);
    CHECK_EQUAL(bed.interactive.events[0].counts[0].value, 90 - 52);
    CHECK(!bed.interactive.events[0].counts[1].known);
    bed_close(&bed);
}

/* Two keys in the same samples: neither gets their counts. */
static void test_shared_counts(void)
{
    struct bed bed;

    bed_open(&bed);
    add_key(&bed, 2100, 1);
    add_key(&bed, 2500, 2);
    set_idle(&bed, (int64_t[]){1000, 1400, 1000, 1000}, 4);
    build_series(bed.bench, "idle.loads", "idle", "loads", (int64_t[]){50, 90, 52, 52}, 4);
    bed_finish(&bed, 8000);
    CHECK(bed.interactive.events[0].shared && bed.interactive.events[1].shared);
    CHECK(!bed.interactive.events[0].counts[0].known);
    CHECK(!bed.interactive.events[1].counts[0].known);
    bed_close(&bed);
}

/* Counts up to the times of an event replace those of samples; they give the ticks of an
 * instruction. The next call comes after the end, and is known. */
static void test_counted_at(void)
{
    struct bed bed;

    bed_open(&bed);
    add_key(&bed, 2500, 1);
    add_key(&bed, 4000, 2);
    set_idle(&bed, (int64_t[]){1000, 1200, 1000, 1000}, 4);
    build_series(bed.bench, "idle.loads", "idle", "loads", (int64_t[]){50, 90, 52, 52}, 4);
    build_series(bed.bench, "counted_at", NULL, NULL,
                 (int64_t[]){2500 + ENTRY - BEGIN, 2500 + DONE - BEGIN, 4000 + DONE - BEGIN}, 3);
    build_series(bed.bench, "counted_at.instructions", "counted_at", "instructions",
                 (int64_t[]){100, 120, 307}, 3);
    bed_finish(&bed, 8000);
    CHECK_EQUAL(bed.interactive.counted_count, 1);
    CHECK_EQUAL(bed.interactive.cycle, (1500 + DONE - ENTRY) / 207);
    CHECK_EQUAL(bed.interactive.events[0].entry, 2500 + ENTRY);
    CHECK(bed.interactive.events[0].counts[0].known);
    CHECK_EQUAL(bed.interactive.events[0].counts[0].value, 20);
    CHECK(!bed.interactive.events[1].counts[0].known);
    CHECK(bed.interactive.events[0].has_call);
    CHECK_EQUAL(bed.interactive.events[0].call, 2500 + CALLED);
    bed_close(&bed);
}

/* ---- phases ---- */

/* One key alone; then two of which the second comes while the first is at work, and a clock's
 * interrupt between this phase's events. */
static void test_phases(void)
{
    const struct interactive_phase *phases;
    struct bed bed;

    bed_open(&bed);
    add_key(&bed, 1500, 1);
    add_key(&bed, 3000, 2);
    TRACE_ADD(&bed.trace, 3500, isr_entry, TIMER);
    TRACE_ADD(&bed.trace, 3540, isr_exit, TIMER);
    add_key(&bed, 4000, 3);
    plan_keys(&bed, (uint64_t[]){1500, 3000, 4000, 5000}, 4);
    build_series(bed.bench, "phase", NULL, NULL, (int64_t[]){0, 1, 1, 1}, 4);
    trace_builder_name(bed.bench, "mark", 1, "fast");
    build_fact(bed.bench, "redraws_fast", 2);
    bed_finish(&bed, 8000);
    phases = bed.interactive.phases;
    CHECK_EQUAL(bed.interactive.phase_count, 2);
    CHECK_EQUAL(phases[0].phase, 0);
    CHECK_EQUAL(phases[0].events, 1);
    CHECK(phases[0].known && phases[1].known);
    CHECK_EQUAL(phases[0].busy, DONE - ENTRY);
    CHECK_EQUAL(phases[0].handling, DONE - ENTRY);
    CHECK(phases[0].name == NULL && !phases[0].has_redraws);
    CHECK_EQUAL(phases[1].phase, 1);
    CHECK_TEXT(phases[1].name, "fast");
    CHECK(phases[1].has_redraws && phases[1].redraws == 2);
    CHECK_EQUAL(phases[1].events, 2); /* the third did not come */
    CHECK_EQUAL(phases[1].from, 3000 + ENTRY);
    CHECK_EQUAL(phases[1].to, 4000 + DONE);
    CHECK_EQUAL(phases[1].busy, (LIFE - ENTRY) + 40 + DONE);
    CHECK_EQUAL(phases[1].handling, 2 * (DONE - ENTRY));
    bed_close(&bed);
}

/* Three at once, done at once: their time counts once. */
static void test_phase_of_batch(void)
{
    struct bed bed;

    bed_open(&bed);
    add_three(&bed);
    add_take(&bed, 1150, 1);
    add_take(&bed, 1160, 2);
    add_take(&bed, 1165, 3);
    TRACE_ADD(&bed.trace, 1170, input_done, QUEUE, 3);
    plan_keys(&bed, (uint64_t[]){1100, 1110, 1120}, 3);
    build_series(bed.bench, "phase", NULL, NULL, (int64_t[]){7, 7, 7}, 3);
    bed_finish(&bed, 1300);
    CHECK_EQUAL(bed.interactive.phase_count, 1);
    CHECK_EQUAL(bed.interactive.phases[0].phase, 7);
    CHECK_EQUAL(bed.interactive.phases[0].busy, 1170 - 1140);
    CHECK_EQUAL(bed.interactive.phases[0].handling, 1170 - 1140);
    bed_close(&bed);
}

/* ---- summaries ---- */

static bool summarise(const struct bed *bed, uint8_t kind, bool cold,
                      struct interactive_summary *summary)
{
    return interactive_summarise(&bed->interactive,
                                 &(struct interactive_class){.kind = kind, .cold = cold}, summary);
}

/* No phase's median is that of another one, nor of both; and an event of none has its own row. */
static void test_phases_apart(void)
{
    char name[INTERACTIVE_CLASS_MAX];
    struct bed bed;
    size_t count;

    bed_open(&bed);
    build_object(bed.bench, "mark", 1, "fast");
    add_key(&bed, 1500, 1);
    add_key(&bed, 3000, 2);
    add_key(&bed, 4500, 3);
    plan_keys(&bed, (uint64_t[]){1500, 3000, 4500}, 3);
    build_series(bed.bench, "phase", NULL, NULL, (int64_t[]){1, -1, 2}, 3);
    run_find_series(bed.bench, "intended")->samples[2] -= 100;
    bed_finish(&bed, 8000);
    struct interactive_summary *summaries = interactive_summaries(&bed.interactive, &count);

    CHECK_EQUAL(count, 3);
    CHECK_TEXT(interactive_class_name(&summaries[0].of, name), "key_down, fast");
    CHECK_TEXT(interactive_class_name(&summaries[1].of, name), "key_down, phase 2");
    CHECK_TEXT(interactive_class_name(&summaries[2].of, name), "key_down");
    for (size_t i = 0; i < count; i++) {
        CHECK_EQUAL(summaries[i].events, 1);
        CHECK_EQUAL(summaries[i].measures[SUMMARY_RESPONSE].statistics.median,
                    DONE + 5 + (i == 1 ? 100 : 0));
    }
    free(summaries);
    bed_close(&bed);
}

static void test_summary(void)
{
    struct interactive_summary summary;
    struct bed bed;

    bed_open(&bed);
    add_key(&bed, 1500, 1);
    add_key(&bed, 3000, 2);
    add_key(&bed, 4500, 3);
    plan_keys(&bed, (uint64_t[]){1500, 3000, 4500}, 3);
    build_series(bed.bench, "cold", NULL, NULL, (int64_t[]){1, 0, 0}, 3);
    run_find_series(bed.bench, "intended")->samples[1] -= 6;
    bed_finish(&bed, 8000);
    CHECK(!summarise(&bed, INPUT_KEY_UP, false, &summary));
    CHECK(summarise(&bed, INPUT_KEY_DOWN, true, &summary));
    CHECK_EQUAL(summary.events, 1);
    CHECK(isnan(summary.measures[SUMMARY_SERVICE].deviation));
    CHECK(!summary.measures[SUMMARY_SERVICE].constant);
    CHECK_EQUAL(summary.measures[SUMMARY_SERVICE].mean, DONE - ENTRY);
    CHECK(summarise(&bed, INPUT_KEY_DOWN, false, &summary));
    CHECK_EQUAL(summary.events, 2);
    CHECK(summary.measures[SUMMARY_SERVICE].constant);
    CHECK(summary.measures[SUMMARY_SERVICE].deviation == 0);
    CHECK(summary.measures[SUMMARY_TRADITIONAL].constant);
    CHECK_EQUAL(summary.measures[SUMMARY_ELONGATION].statistics.n, 0);
    CHECK(isnan(summary.measures[SUMMARY_ELONGATION].mean));
    CHECK(!summary.measures[SUMMARY_RESPONSE].constant);
    CHECK(fabs(summary.measures[SUMMARY_RESPONSE].mean - (DONE + 5 + 3)) < 1e-9);
    CHECK(fabs(summary.measures[SUMMARY_RESPONSE].deviation - sqrt(18)) < 1e-9);
    CHECK_EQUAL(summary.measures[SUMMARY_RESPONSE].statistics.max, DONE + 11);
    bed_close(&bed);
}

/* ---- JSON ---- */

/* As text; to be freed. */
static char *json_of(const struct bed *bed)
{
    struct actions actions;
    struct json json;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    json_start(&json, out);
    json_object(&json, NULL);
    CHECK(actions_read(&actions, &bed->interactive, bed->bench));
    if (bed->interactive.present) {
        interactive_json(&json, &bed->run, bed->bench, &bed->interactive, &actions);
    }
    actions_free(&actions);
    json_close(&json);
    fclose(out);
    return text;
}

/* What is unknown is not there; a deviation is exact only in an exact run. */
static void test_json(void)
{
    struct bed bed;
    char *text;

    bed_open(&bed);
    run_add_pair(&bed.run, &bed.run.info, "kind", "exact");
    add_key(&bed, 1500, 1);
    add_key(&bed, 3500, 2);
    plan_keys(&bed, (uint64_t[]){1500, 3500, 5500}, 3);
    set_idle(&bed, (int64_t[]){SAMPLE + LIFE, SAMPLE, SAMPLE + LIFE, SAMPLE}, 4);
    bed_finish(&bed, 9000);
    text = json_of(&bed);
    CHECK(strstr(text, "\"interactive\": {") != NULL);
    CHECK(strstr(text, "\"missing\": 1") != NULL);
    CHECK(strstr(text, "\"missing\": true") != NULL);
    CHECK(strstr(text, "\"exact\": true") != NULL);
    CHECK(strstr(text, "\"part\": \"sending: interrupt lapic_timer\"") != NULL);
    CHECK(strstr(text, "\"residual\": 0") != NULL);
    CHECK(strstr(text, "\"stairs\": null") != NULL);
    CHECK(strstr(text, "\"counts\"") == NULL);
    CHECK(strstr(text, "\"phase\"") == NULL);
    free(text);
    bed.run.info.item[0].value = "real";
    text = json_of(&bed);
    CHECK(strstr(text, "\"exact\": true") == NULL);
    free(text);
    bed_close(&bed);

    bed_open(&bed); /* a bench without input events */
    bed_finish(&bed, 4000);
    text = json_of(&bed);
    CHECK(strstr(text, "interactive") == NULL);
    free(text);
    bed_close(&bed);
}

/* ---- busy time ---- */

#define TICKS 2000

/* Against a tick by tick table: 0 idle, 1 busy, 2 unknown. */
static void test_busy(void)
{
    uint64_t random = 99;

    for (unsigned round = 0; round < 50; round++) {
        struct busy_time busy = {0};
        const struct account_observer observer = busy_observer(&busy);
        const struct run_trace trace = {.begin = BEGIN};
        uint8_t table[TICKS];
        size_t at = 0;

        observer.part(observer.context, NULL, &trace);
        while (at < TICKS) {
            const size_t length = 1 + unit_random(&random) % 40;
            const size_t end = at + length < TICKS ? at + length : TICKS;
            const uint8_t what = unit_random(&random) % 8 == 0 ? 2 : unit_random(&random) % 2;
            const struct account_segment segment = {BEGIN + at, BEGIN + end,
                                                    what == 2 ? ACCOUNT_UNKNOWN : ACCOUNT_THREAD,
                                                    what == 1 ? ECHO : TRACE_IDLE_THREAD};

            memset(table + at, what, end - at);
            observer.segment(observer.context, NULL, &segment);
            at = end;
        }
        for (unsigned i = 0; i < 100; i++) {
            const size_t from = unit_random(&random) % TICKS;
            const size_t to = from + unit_random(&random) % (TICKS - from);
            uint64_t expected = 0;
            bool known = true;
            uint64_t ticks;
            uint64_t first;
            uint64_t end;

            for (size_t k = from; k < to; k++) {
                expected += table[k] == 1;
                known = known && table[k] != 2;
            }
            CHECK_EQUAL(busy_between(&busy, BEGIN + from, BEGIN + to, &ticks), known);
            CHECK_EQUAL(ticks, expected);
            CHECK_EQUAL(busy_episode(&busy, BEGIN + from, &first, &end), table[from] == 1);
            if (table[from] == 1) {
                CHECK(first == BEGIN || table[first - 1 - BEGIN] != 1);
                CHECK(end == BEGIN + TICKS || table[end - BEGIN] != 1);
                CHECK(memchr(table + (first - BEGIN), 0, end - first) == NULL);
                CHECK(memchr(table + (first - BEGIN), 2, end - first) == NULL);
            }
        }
        uint64_t ticks;

        CHECK(!busy_between(&busy, BEGIN - 1, BEGIN + 5, &ticks));
        CHECK(!busy_between(&busy, BEGIN, BEGIN + TICKS + 1, &ticks));
        CHECK(!busy_between(&busy, BEGIN + 5, BEGIN + 4, &ticks));
        busy_free(&busy);
    }
}

/* Of three processors, whose segments come in the order of their ends. */
static void test_busy_of_processors(void)
{
    uint64_t random = 7;

    for (unsigned round = 0; round < 50; round++) {
        struct busy_time busy = {0};
        struct accounting accounting = {.cpu_count = 3};
        const struct account_observer observer = busy_observer(&busy);
        const struct run_trace trace = {.begin = BEGIN};
        struct account_segment next[3];
        uint8_t table[3][TICKS];
        uint64_t now = BEGIN;

        observer.part(observer.context, &accounting, &trace);
        for (size_t i = 0; i < 3; i++) {
            next[i] = (struct account_segment){BEGIN, BEGIN, ACCOUNT_THREAD, 0};
        }
        while (now < BEGIN + TICKS) {
            for (size_t i = 0; i < 3; i++) {
                if (next[i].to > now || now == BEGIN + TICKS) {
                    continue;
                }
                const size_t to = now + 1 + unit_random(&random) % (i == 2 ? 200 : 40);
                const uint8_t what = unit_random(&random) % 20 == 0 ? 2 : unit_random(&random) % 2;

                next[i] = (struct account_segment){now, to < BEGIN + TICKS ? to : BEGIN + TICKS,
                                                   what == 2 ? ACCOUNT_UNKNOWN : ACCOUNT_THREAD,
                                                   what == 1 ? ECHO : TRACE_IDLE_THREAD};
                memset(table[i] + (now - BEGIN), what, next[i].to - now);
            }
            now++;
            for (accounting.on = 0; accounting.on < 3; accounting.on++) {
                if (next[accounting.on].to == now) {
                    observer.segment(observer.context, &accounting, &next[accounting.on]);
                }
            }
        }
        for (size_t at = 0; at < TICKS; at++) {
            const bool unknown = table[0][at] == 2 || table[1][at] == 2 || table[2][at] == 2;
            const bool works = table[0][at] == 1 || table[1][at] == 1 || table[2][at] == 1;
            uint64_t ticks;

            CHECK_EQUAL(busy_between(&busy, BEGIN + at, BEGIN + at + 1, &ticks), !unknown);
            CHECK_EQUAL(ticks, works && !unknown);
        }
        busy_free(&busy);
    }
}

/* Between two parts, and where they overlap by the log. */
static void test_busy_of_parts(void)
{
    struct busy_time busy = {0};
    const struct account_observer observer = busy_observer(&busy);
    const struct account_segment work[] = {
        {100, 200, ACCOUNT_DPC, 0}, {300, 400, ACCOUNT_DPC, 0}, {350, 420, ACCOUNT_DPC, 0}};
    uint64_t ticks;

    observer.part(observer.context, NULL, &(struct run_trace){.begin = 100});
    observer.segment(observer.context, NULL, &work[0]);
    observer.part(observer.context, NULL, &(struct run_trace){.begin = 300});
    observer.segment(observer.context, NULL, &work[1]);
    observer.part(observer.context, NULL, &(struct run_trace){.begin = 50});
    observer.segment(observer.context, NULL, &work[0]);
    observer.segment(observer.context, NULL, &work[2]);
    CHECK(busy_between(&busy, 100, 200, &ticks));
    CHECK_EQUAL(ticks, 100);
    CHECK(!busy_between(&busy, 100, 201, &ticks));
    CHECK(busy_between(&busy, 300, 420, &ticks));
    CHECK_EQUAL(ticks, 120);
    CHECK_EQUAL(busy.end, 420);
    busy_free(&busy);
}

/* The first who asks reads, until something changes. */
static void test_kept(void)
{
    const uint64_t at[] = {1500};
    struct bed bed;

    bed_open(&bed);
    add_key(&bed, at[0], 1);
    plan_keys(&bed, at, 1);
    set_idle(&bed, (int64_t[]){SAMPLE + LIFE + 3, SAMPLE, SAMPLE}, 3);
    bed_finish(&bed, 5000);
    const struct input_reading *input = input_of(bed.bench);

    CHECK(input->good && !input->explained);
    CHECK_EQUAL(input->interactive.count, 1);
    CHECK_EQUAL(input->interactive.part_count, 0);
    for (int i = 0; i < 2; i++) {
        CHECK(input_explained(bed.bench) == input && input->explained);
        CHECK_EQUAL(input->interactive.part_count, bed.interactive.part_count);
        CHECK_EQUAL(input->interactive.parts[0].events, bed.interactive.parts[0].events);
    }
    run_forget(&bed.run);
    CHECK(bed.bench->readings == NULL && !input_of(bed.bench)->explained);
    bed_close(&bed);
}

int main(void)
{
    RUN(test_life());
    RUN(test_explanation());
    RUN(test_explanation_with_costs());
    RUN(test_explanation_of_others());
    RUN(test_explanation_of_idle());
    RUN(test_explanation_of_any());
    RUN(test_done_of_batch());
    RUN(test_done_by_call());
    RUN(test_not_done());
    RUN(test_done_by_others());
    RUN(test_sync_messages());
    RUN(test_unposted());
    RUN(test_arrival_made_up());
    RUN(test_arrival_behind_packet());
    RUN(test_arrival_in_handlers());
    RUN(test_match());
    RUN(test_missing());
    RUN(test_lost());
    RUN(test_plan_made_up());
    RUN(test_no_trace());
    RUN(test_stamps());
    RUN(test_numbers_again());
    RUN(test_shared());
    RUN(test_shared_across());
    RUN(test_gap());
    RUN(test_outside());
    RUN(test_counts());
    RUN(test_shared_counts());
    RUN(test_counted_at());
    RUN(test_phases());
    RUN(test_phase_of_batch());
    RUN(test_summary());
    RUN(test_phases_apart());
    RUN(test_json());
    RUN(test_busy());
    RUN(test_busy_of_parts());
    RUN(test_busy_of_processors());
    RUN(test_kept());
    return unit_finish("unit_interactive");
}
