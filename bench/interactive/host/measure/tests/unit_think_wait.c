/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Think and wait: each single change of each state of the machine, in traces made by hand whose
 * answer was written down beforehand; what gaps do; and random traces against the definition,
 * applied tick by tick.
 */
#include "bench/interactive/host/measure/tests/read_alone.h"
#include "bench/interactive/host/measure/think_wait.h"

#include <stdlib.h>

#include "kernel/input/event.h"
#include "tools/base/alloc.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"

#define PACKET  65536
#define BEGIN   1000
#define APP     2 /* a thread that emits input_done */
#define OTHER   3 /* a thread that has nothing to do with inputs */
#define MUTE    4 /* an application without input_done */
#define THREADS 5
#define QUEUE   7
#define DEVICE  300

#define PERCEPTIBLE 100 /* ticks of wait */

/* What a test has at hand. */
struct bed {
    struct run run;
    struct run_bench *bench;
    struct trace_builder trace;
    struct run_trace_costs costs;
    struct think_wait result;
    uint32_t current;
    uint32_t posted, taken; /* inputs */
    uint16_t length;        /* of the queue */
};

/* All threads wait but idle, which runs. */
static void begin_part(struct bed *bed, uint64_t begin)
{
    trace_builder_init(&bed->trace, begin, PACKET);
    for (unsigned i = 0; i < THREADS; i++) {
        TRACE_ADD(&bed->trace, begin, thread_is, i, 0, i, i == 0 ? THREAD_RUNNING : THREAD_WAITING,
                  i == 0 ? WAIT_NONE : WAIT_QUEUE);
    }
    bed->current = 0;
    bed->length = 0;
}

static void bed_open(struct bed *bed)
{
    memset(bed, 0, sizeof(*bed));
    run_init(&bed->run);
    bed->bench = build_bench(&bed->run, "b", 1);
    begin_part(bed, BEGIN);
}

static void bed_finish(struct bed *bed, uint64_t end)
{
    trace_builder_finish(&bed->trace, end, bed->bench)->costs = bed->costs;
    CHECK(think_wait_read(&bed->result, bed->bench, PERCEPTIBLE));
    CHECK_EQUAL(think_wait_residual(&bed->result), 0);
}

static void bed_close(struct bed *bed)
{
    think_wait_free(&bed->result);
    run_free(&bed->run);
}

/* ---- single steps ---- */

static void run_thread(struct bed *bed, uint64_t tsc, uint32_t thread)
{
    if (thread == bed->current) {
        return;
    }
    if (thread != 0) {
        TRACE_ADD(&bed->trace, tsc, thread_ready, thread, bed->current);
    }
    TRACE_ADD(&bed->trace, tsc, thread_switch, bed->current, thread,
              bed->current == 0 ? TRACE_WHY(WAIT_OVERTAKEN, THREAD_READY)
                                : TRACE_WHY(WAIT_QUEUE, THREAD_WAITING));
    bed->current = thread;
}

static void post(struct bed *bed, uint64_t tsc)
{
    TRACE_ADD(&bed->trace, tsc, queue_post, QUEUE, QUEUE_KEY_DOWN, ++bed->posted, ++bed->length);
}

static void take(struct bed *bed, uint64_t tsc)
{
    TRACE_ADD(&bed->trace, tsc, queue_take, QUEUE, QUEUE_KEY_DOWN, ++bed->taken, --bed->length);
}

/* As the application, which has the processor for no tick. */
static void take_as(struct bed *bed, uint64_t tsc, uint32_t thread, bool and_done)
{
    const uint32_t before = bed->current;

    run_thread(bed, tsc, thread);
    take(bed, tsc);
    if (and_done) {
        TRACE_ADD(&bed->trace, tsc, input_done, QUEUE, bed->taken);
    }
    run_thread(bed, tsc, before);
}

static void done_as(struct bed *bed, uint64_t tsc, uint32_t thread)
{
    const uint32_t before = bed->current;

    run_thread(bed, tsc, thread);
    TRACE_ADD(&bed->trace, tsc, input_done, QUEUE, bed->taken);
    run_thread(bed, tsc, before);
}

static void set_io(struct bed *bed, uint64_t tsc, uint16_t outstanding)
{
    TRACE_ADD(&bed->trace, tsc, io_status, DEVICE, IO_SYNCHRONOUS, outstanding);
}

/* ---- each state, each single change ---- */

#define BUSY    1u
#define QUEUED  2u
#define WORK    4u
#define IO      8u
#define ALL     16u
#define ARRIVED 16u /* to the state the same as queued */
#define HANDLES 32u

/* Figure 2 of the paper, with what is at work, and with what asynchronous work leaves idle. */
static const enum think_wait_state expected[ALL] = {
    [0] = THINK_IDLE,
    [BUSY] = THINK_BUSY,
    [QUEUED] = WAIT_QUEUED_IDLE,
    [QUEUED | BUSY] = WAIT_QUEUED,
    [WORK] = WAIT_WORK_IDLE,
    [WORK | BUSY] = WAIT_WORK,
    [WORK | QUEUED] = WAIT_WORK_IDLE,
    [WORK | QUEUED | BUSY] = WAIT_WORK,
    [IO] = WAIT_IO_IDLE,
    [IO | BUSY] = WAIT_IO,
    [IO | QUEUED] = WAIT_IO_IDLE,
    [IO | QUEUED | BUSY] = WAIT_IO,
    [IO | WORK] = WAIT_IO_IDLE,
    [IO | WORK | BUSY] = WAIT_IO,
    [IO | WORK | QUEUED] = WAIT_IO_IDLE,
    [IO | WORK | QUEUED | BUSY] = WAIT_IO,
};

/* Changes one of them at `tsc`, and nothing else, as far as ticks go. */
static void change(struct bed *bed, uint64_t tsc, unsigned now, unsigned which)
{
    const bool on = (now & which) == 0;

    switch (which) {
    case BUSY:
        run_thread(bed, tsc, on ? OTHER : 0);
        break;
    case QUEUED:
        if (on) {
            post(bed, tsc);
        } else {
            take_as(bed, tsc, APP, (now & WORK) == 0);
        }
        break;
    case WORK:
        if (on) {
            post(bed, tsc);
            take_as(bed, tsc, APP, false);
        } else {
            done_as(bed, tsc, APP);
        }
        break;
    default:
        set_io(bed, tsc, on ? 1 : 0);
        break;
    }
}

static struct think_wait_inputs inputs_of(unsigned bits)
{
    return (struct think_wait_inputs){
        .known = true,
        .busy = (bits & BUSY) != 0,
        .queued = (bits & QUEUED) != 0,
        .work = (bits & WORK) != 0,
        .io = (bits & IO) != 0,
    };
}

static void check_inputs(const struct think_wait_inputs *inputs, unsigned bits)
{
    const struct think_wait_inputs wanted = inputs_of(bits);

    CHECK_EQUAL(inputs->known, wanted.known);
    CHECK_EQUAL(inputs->busy, wanted.busy);
    CHECK(!inputs->arrived);
    CHECK_EQUAL(inputs->queued, wanted.queued);
    CHECK_EQUAL(inputs->work, wanted.work);
    CHECK_EQUAL(inputs->io, wanted.io);
}

static void check_transition(const struct think_wait *result, size_t index, uint64_t tsc,
                             enum think_wait_state from, enum think_wait_state to)
{
    CHECK(index < result->kept);
    if (index < result->kept) {
        CHECK_EQUAL(result->transitions[index].tsc, tsc);
        CHECK_EQUAL(result->transitions[index].from, from);
        CHECK_EQUAL(result->transitions[index].to, to);
    }
}

/* 100 ticks of nothing, 30 with `first`, 7 with `first` less `which`. */
static void check_change(const struct think_wait *result, unsigned first, unsigned which)
{
    const enum think_wait_state before = expected[first];
    const enum think_wait_state after = expected[first ^ which];
    uint64_t ticks[THINK_WAIT_STATES] = {0};
    size_t transitions = 0;

    ticks[THINK_IDLE] += 100;
    ticks[before] += 30;
    ticks[after] += 7;
    for (size_t i = 0; i < THINK_WAIT_STATES; i++) {
        CHECK_EQUAL(result->ticks[i], ticks[i]);
    }
    if (before != THINK_IDLE) {
        check_transition(result, transitions++, 1100, THINK_IDLE, before);
    }
    if (before != after) {
        check_transition(result, transitions, 1130, before, after);
        check_inputs(&result->transitions[transitions].before, first);
        check_inputs(&result->transitions[transitions].after, first ^ which);
        CHECK_EQUAL(result->matrix[before][after], 1 + (before == THINK_IDLE && transitions > 0));
        transitions++;
    }
    CHECK_EQUAL(result->transition_count, transitions);
    CHECK_EQUAL(result->kept, transitions);
}

static void test_change(unsigned first, unsigned which)
{
    static const unsigned order[] = {WORK, BUSY, QUEUED, IO}; /* work comes out of the queue */
    const unsigned long failed = unit_failed_checks;
    unsigned now = 0;
    struct bed bed;

    bed_open(&bed);
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        if ((first & order[i]) != 0) {
            change(&bed, 1100, now, order[i]);
            now |= order[i];
        }
    }
    change(&bed, 1130, now, which);
    bed_finish(&bed, 1137);
    check_change(&bed.result, first, which);
    if (unit_failed_checks != failed) {
        fprintf(stderr, "    from inputs %u, change of %u\n", first, which);
    }
    bed_close(&bed);
}

static void test_changes(void)
{
    for (unsigned first = 0; first < ALL; first++) {
        for (unsigned which = BUSY; which < ALL; which *= 2) {
            test_change(first, which);
        }
    }
}

/* ---- whole stories ---- */

static void check_ticks(const struct think_wait *result, const uint64_t *ticks)
{
    for (size_t i = 0; i < THINK_WAIT_STATES; i++) {
        CHECK_EQUAL(result->ticks[i], ticks[i]);
    }
}

static void check_machine(const struct think_wait *result, enum think_wait_machine machine,
                          uint64_t wait, uint64_t false_wait, uint64_t missed)
{
    CHECK_EQUAL(result->machines[machine].wait, wait);
    CHECK_EQUAL(result->machines[machine].false_wait, false_wait);
    CHECK_EQUAL(result->machines[machine].missed, missed);
}

static void check_cause(const struct think_wait *result, size_t index, const char *wanted)
{
    char text[THINK_WAIT_CAUSE_MAX];

    CHECK_TEXT(think_wait_cause(&result->transitions[index], text), wanted);
}

/*
 * A key: interrupt at 1100, its byte at 1102, its message at 1110, taken at 1130, synchronous I/O
 * from 1200 to 1500 in which the processor idles except for 20 ticks of OTHER, done at 1600, and
 * what the application does in the background until 1700. Then OTHER for 50 ticks, without any
 * input.
 */
static void add_key(struct bed *bed)
{
    TRACE_ADD(&bed->trace, 1100, isr_entry, 0x51);
    TRACE_ADD(&bed->trace, 1105, input, 1, INPUT_KEY_DOWN, 0x1e, 1102);
    post(bed, 1110);
    TRACE_ADD(&bed->trace, 1115, thread_ready, APP, TRACE_BY(TRACE_BY_VECTOR, 0x51));
    TRACE_ADD(&bed->trace, 1120, isr_exit, 0x51);
    TRACE_ADD(&bed->trace, 1125, thread_switch, 0, APP, TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
    bed->current = APP;
    take(bed, 1130);
    set_io(bed, 1200, 1);
    run_thread(bed, 1210, 0);
    run_thread(bed, 1300, OTHER);
    run_thread(bed, 1320, 0);
    run_thread(bed, 1490, APP);
    set_io(bed, 1500, 0);
    TRACE_ADD(&bed->trace, 1600, input_done, QUEUE, 1);
    TRACE_ADD(&bed->trace, 1700, queue_call, QUEUE, QUEUE_CALL_GET, 0);
    run_thread(bed, 1700, 0);
    run_thread(bed, 1800, OTHER);
    run_thread(bed, 1850, 0);
}

static void test_key(void)
{
    static const uint64_t ticks[THINK_WAIT_STATES] = {
        [THINK_IDLE] = 100 + 100 + 150, [THINK_BUSY] = 100 + 50,  [WAIT_QUEUED] = 10 + 20,
        [WAIT_WORK] = 70 + 100,         [WAIT_IO] = 10 + 20 + 10, [WAIT_IO_IDLE] = 90 + 170,
    };
    struct bed bed;

    bed_open(&bed);
    add_key(&bed);
    bed_finish(&bed, 2000);
    const struct think_wait *result = &bed.result;

    CHECK(result->present);
    CHECK_EQUAL(result->elapsed, 1000);
    CHECK_EQUAL(result->begin, BEGIN);
    check_ticks(result, ticks);
    CHECK_EQUAL(think_wait_waited(result), 500);
    check_machine(result, MACHINE_COMPLETE, 500, 0, 0);
    /* Busy: 10 + 20 + 70 + 10, 20, 10 + 100 + 100, 50. */
    check_machine(result, MACHINE_PROCESSOR, 390, 150, 260);
    /* From the message until the processor idles in the midst of the I/O; not again. */
    check_machine(result, MACHINE_PROCESSOR_QUEUE, 100, 0, 400);
    /* From the begin of the busy time to the next call. */
    check_machine(result, MACHINE_PROCESSOR_CALLS, 600, 100, 0);
    CHECK_EQUAL(result->waits, 1);
    CHECK_EQUAL(result->noticed, 1);
    CHECK_EQUAL(result->noticed_ticks, 500);
    CHECK_EQUAL(result->longest, 500);
    CHECK_EQUAL(result->longest_at, 1100);
    bed_close(&bed);
}

static void test_list(void)
{
    struct bed bed;

    bed_open(&bed);
    add_key(&bed);
    bed_finish(&bed, 2000);
    const struct think_wait *result = &bed.result;

    CHECK_EQUAL(result->transition_count, 12);
    check_transition(result, 0, 1100, THINK_IDLE, WAIT_QUEUED);
    check_transition(result, 1, 1130, WAIT_QUEUED, WAIT_WORK);
    check_transition(result, 2, 1200, WAIT_WORK, WAIT_IO);
    check_transition(result, 3, 1210, WAIT_IO, WAIT_IO_IDLE);
    check_transition(result, 6, 1490, WAIT_IO_IDLE, WAIT_IO);
    check_transition(result, 7, 1500, WAIT_IO, WAIT_WORK);
    check_transition(result, 8, 1600, WAIT_WORK, THINK_BUSY);
    check_transition(result, 9, 1700, THINK_BUSY, THINK_IDLE);
    check_transition(result, 11, 1850, THINK_BUSY, THINK_IDLE);
    CHECK_EQUAL(result->visits[WAIT_IO], 3);
    CHECK_EQUAL(result->visits[THINK_IDLE], 3);
    CHECK_EQUAL(result->matrix[THINK_BUSY][THINK_IDLE], 2);
    check_cause(result, 0, "input arrived, busy");
    check_cause(result, 1, "work begins, queue empty");
    check_cause(result, 2, "I/O begins");
    check_cause(result, 7, "I/O ends");
    check_cause(result, 8, "work ends");
    check_cause(result, 11, "idle");
    bed_close(&bed);
}

/* Where the way to the handler took 8 ticks, the wait begins so much before its stamp; an input
 * that no message follows is under way until its driver reports it; a byte that no handler read
 * arrives in the midst of a segment. */
static void test_arrival(void)
{
    static const uint64_t ticks[THINK_WAIT_STATES] = {[THINK_IDLE] = 92 + 100,
                                                      [THINK_BUSY] = 122,
                                                      [WAIT_QUEUED] = 8 + 60 + 20,
                                                      [WAIT_QUEUED_IDLE] = 48,
                                                      [WAIT_WORK] = 50};
    struct bed bed;

    bed_open(&bed);
    bed.costs.isr_lead = 8;
    TRACE_ADD(&bed.trace, 1100, isr_entry, 0x51);
    TRACE_ADD(&bed.trace, 1150, input, 1, INPUT_KEY_DOWN, 0x1e, 1140);
    TRACE_ADD(&bed.trace, 1160, isr_exit, 0x51);
    TRACE_ADD(&bed.trace, 1160, queue_post, QUEUE, QUEUE_KEY_DOWN, 1, 1);
    run_thread(&bed, 1208, APP);
    TRACE_ADD(&bed.trace, 1208, queue_take, QUEUE, QUEUE_KEY_DOWN, 1, 0);
    TRACE_ADD(&bed.trace, 1258, input_done, QUEUE, 1);
    TRACE_ADD(&bed.trace, 1400, input, 2, INPUT_KEY_UP, 0x1e, 1380);
    run_thread(&bed, 1400, 0);
    bed_finish(&bed, 1500);
    check_ticks(&bed.result, ticks);
    bed_close(&bed);
}

/* An application without input_done: its next call for a message is the end. */
static void test_mute(void)
{
    static const uint64_t ticks[THINK_WAIT_STATES] = {
        [THINK_IDLE] = 100, [WAIT_QUEUED] = 10, [WAIT_WORK] = 40 + 50, [THINK_BUSY] = 60 + 100};
    struct bed bed;

    bed_open(&bed);
    post(&bed, 1100);
    run_thread(&bed, 1100, MUTE);
    take(&bed, 1110);
    TRACE_ADD(&bed.trace, 1150, queue_call, QUEUE, QUEUE_CALL_GET, 0);
    post(&bed, 1210);
    take(&bed, 1210);
    TRACE_ADD(&bed.trace, 1240, queue_call, QUEUE, QUEUE_RETURN_EMPTY, 0);
    TRACE_ADD(&bed.trace, 1260, queue_call, QUEUE, QUEUE_CALL_PEEK, 0);
    bed_finish(&bed, 1360);
    check_ticks(&bed.result, ticks);
    bed_close(&bed);
}

/*
 * An application with one late input_done is at work although it calls for messages: on inputs 1
 * and 2 until input_done of 2, on 3 and 4 beyond that of 3. Messages of no input change nothing,
 * nor does an input_done of another thread.
 */
static void test_asynchronous(void)
{
    static const uint64_t ticks[THINK_WAIT_STATES] = {
        [THINK_IDLE] = 100, [WAIT_WORK] = 100 + 300, [THINK_BUSY] = 50 + 50 + 50};
    struct bed bed;

    bed_open(&bed);
    run_thread(&bed, 1100, APP);
    TRACE_ADD(&bed.trace, 1110, queue_post, QUEUE, QUEUE_TIMER, 0, 1);
    TRACE_ADD(&bed.trace, 1120, queue_take, QUEUE, QUEUE_TIMER, 0, 0);
    for (unsigned i = 0; i < 2; i++) {
        post(&bed, 1150 + 10 * i);
        take(&bed, 1150 + 10 * i);
        TRACE_ADD(&bed.trace, 1155 + 10 * i, queue_call, QUEUE, QUEUE_CALL_GET, 0);
    }
    TRACE_ADD(&bed.trace, 1250, input_done, QUEUE, 2);
    for (unsigned i = 0; i < 2; i++) {
        post(&bed, 1300);
        take(&bed, 1300);
    }
    TRACE_ADD(&bed.trace, 1400, input_done, QUEUE, 3);
    run_thread(&bed, 1450, OTHER);
    TRACE_ADD(&bed.trace, 1500, input_done, QUEUE, 4);
    run_thread(&bed, 1600, APP);
    TRACE_ADD(&bed.trace, 1600, input_done, QUEUE, 9);
    bed_finish(&bed, 1650);
    check_ticks(&bed.result, ticks);
    CHECK_EQUAL(bed.result.waits, 2); /* of 100 and 300 ticks */
    CHECK_EQUAL(bed.result.noticed, 1);
    CHECK_EQUAL(bed.result.noticed_ticks, 300);
    CHECK_EQUAL(bed.result.longest, 300);
    CHECK_EQUAL(bed.result.longest_at, 1300);
    bed_close(&bed);
}

/* Taken in another order than they came in: 6 is at work until its input_done, not 3. */
static void test_order(void)
{
    struct bed bed;

    bed_open(&bed);
    run_thread(&bed, 1000, APP);
    TRACE_ADD(&bed.trace, 1100, queue_take, QUEUE, QUEUE_KEY_DOWN, 6, 0);
    TRACE_ADD(&bed.trace, 1110, queue_take, QUEUE, QUEUE_KEY_DOWN, 3, 0);
    TRACE_ADD(&bed.trace, 1200, input_done, QUEUE, 3);
    TRACE_ADD(&bed.trace, 1300, input_done, QUEUE, 6);
    bed_finish(&bed, 1400);
    CHECK_EQUAL(bed.result.ticks[WAIT_WORK], 200);
    CHECK_EQUAL(bed.result.ticks[THINK_BUSY], 200);
    bed_close(&bed);
}

/* An application that ends is at work on nothing; asynchronous I/O is no wait; two queues and
 * two devices count together. */
static void test_ends(void)
{
    static const uint64_t ticks[THINK_WAIT_STATES] = {
        [THINK_IDLE] = 200, [WAIT_WORK] = 50, [WAIT_QUEUED_IDLE] = 50 + 100, [WAIT_IO_IDLE] = 100};
    struct bed bed;

    bed_open(&bed);
    TRACE_ADD(&bed.trace, 1050, io_status, DEVICE, IO_ASYNCHRONOUS, 3);
    post(&bed, 1100);
    TRACE_ADD(&bed.trace, 1100, queue_post, QUEUE + 1, QUEUE_KEY_UP, 2, 1);
    run_thread(&bed, 1150, APP);
    take(&bed, 1150);
    TRACE_ADD(&bed.trace, 1200, thread_switch, APP, 0, TRACE_WHY(WAIT_EXIT, THREAD_ENDED));
    set_io(&bed, 1300, 2);
    TRACE_ADD(&bed.trace, 1300, io_status, DEVICE + 1, IO_SYNCHRONOUS, 1);
    set_io(&bed, 1350, 0);
    TRACE_ADD(&bed.trace, 1400, io_status, DEVICE + 1, IO_SYNCHRONOUS, 0);
    TRACE_ADD(&bed.trace, 1400, queue_call, QUEUE + 1, QUEUE_CALL_GET, 0);
    bed_finish(&bed, 1500);
    check_ticks(&bed.result, ticks);
    bed_close(&bed);
}

/* ---- gaps and parts ---- */

/*
 * An input is at work, another queued and I/O outstanding when a packet is lost, from 1200 to 1300.
 * Idle is known from 1350 on, the queue from 1500 on, where a call finds it empty; any other
 * call shows nothing. I/O that begins behind it is seen.
 */
static void test_gap(void)
{
    static const uint64_t ticks[THINK_WAIT_STATES] = {
        [THINK_IDLE] = 100 + 10, [WAIT_IO] = 100,     [THINK_UNKNOWN] = 300,
        [THINK_BUSY] = 80,       [WAIT_IO_IDLE] = 10,
    };
    struct bed bed;

    bed_open(&bed);
    run_thread(&bed, 1100, APP);
    post(&bed, 1100);
    post(&bed, 1100);
    take(&bed, 1100);
    set_io(&bed, 1100, 1);
    TRACE_ADD(&bed.trace, 1200, mark, 1, 1);
    trace_builder_turn(&bed.trace, 1200, 1200, 0);
    TRACE_ADD(&bed.trace, 1250, mark, 1, 1);
    trace_builder_lose(&bed.trace);
    trace_builder_turn(&bed.trace, 1300, 1300, 0);
    run_thread(&bed, 1350, 0);
    run_thread(&bed, 1400, APP);
    TRACE_ADD(&bed.trace, 1450, queue_call, QUEUE, QUEUE_CALL_GET, 1);
    TRACE_ADD(&bed.trace, 1500, queue_call, QUEUE, QUEUE_CALL_GET, 0);
    run_thread(&bed, 1580, 0);
    set_io(&bed, 1590, 1);
    bed_finish(&bed, 1600);
    check_ticks(&bed.result, ticks);
    CHECK_EQUAL(bed.result.transition_count, 5);
    check_transition(&bed.result, 1, 1200, WAIT_IO, THINK_UNKNOWN);
    check_transition(&bed.result, 2, 1500, THINK_UNKNOWN, THINK_BUSY);
    check_cause(&bed.result, 1, "a gap");
    check_cause(&bed.result, 2, "known again");
    check_machine(&bed.result, MACHINE_PROCESSOR, 180, 80, 10);
    check_machine(&bed.result, MACHINE_PROCESSOR_QUEUE, 100, 0, 10);
    bed_close(&bed);
}

/* A queue that is first seen behind the gap has to be found empty as well. */
static void test_gap_queues(void)
{
    struct bed bed;

    bed_open(&bed);
    trace_builder_turn(&bed.trace, 1100, 1100, 0);
    trace_builder_lose(&bed.trace);
    trace_builder_turn(&bed.trace, 1200, 1200, 0);
    run_thread(&bed, 1200, APP);
    TRACE_ADD(&bed.trace, 1300, queue_post, QUEUE + 1, QUEUE_KEY_UP, 2, 5);
    TRACE_ADD(&bed.trace, 1400, queue_call, QUEUE, QUEUE_CALL_GET, 0);
    TRACE_ADD(&bed.trace, 1500, queue_call, QUEUE + 1, QUEUE_CALL_GET, 0);
    bed_finish(&bed, 1600);
    CHECK_EQUAL(bed.result.ticks[THINK_IDLE], 0); /* from the last event before the gap on */
    CHECK_EQUAL(bed.result.ticks[THINK_UNKNOWN], 500);
    CHECK_EQUAL(bed.result.ticks[THINK_BUSY], 100);
    bed_close(&bed);
}

/* What one part leaves does not reach into the next; the time between them counts for neither. */
static void test_parts(void)
{
    struct bed bed;

    bed_open(&bed);
    post(&bed, 1100);
    set_io(&bed, 1100, 1);
    trace_builder_finish(&bed.trace, 1200, bed.bench);
    begin_part(&bed, 5000);
    post(&bed, 5300);
    bed_finish(&bed, 5400);
    CHECK_EQUAL(bed.result.elapsed, 600);
    CHECK_EQUAL(bed.result.ticks[THINK_IDLE], 100 + 300);
    CHECK_EQUAL(bed.result.ticks[WAIT_IO_IDLE], 100);
    CHECK_EQUAL(bed.result.ticks[WAIT_QUEUED_IDLE], 100);
    CHECK_EQUAL(bed.result.transition_count, 2);
    CHECK_EQUAL(bed.result.transitions[1].part, 2);
    CHECK_EQUAL(bed.result.visits[THINK_IDLE], 2);
    CHECK_EQUAL(bed.result.waits, 2);
    bed_close(&bed);
}

/* A trace without inputs is no matter of thinking and waiting, and one without events neither. */
static void test_absent(void)
{
    struct bed bed;

    bed_open(&bed);
    run_thread(&bed, 1100, OTHER);
    TRACE_ADD(&bed.trace, 1150, queue_post, QUEUE, QUEUE_TIMER, 0, 1);
    bed_finish(&bed, 1200);
    CHECK(!bed.result.present);
    CHECK_EQUAL(bed.result.ticks[THINK_IDLE], 100);
    CHECK_EQUAL(bed.result.ticks[THINK_BUSY], 100);
    bed_close(&bed);

    struct run run;
    struct think_wait none;

    run_init(&run);
    CHECK(think_wait_read(&none, build_bench(&run, "b", 1), 0));
    CHECK(!none.present);
    CHECK_EQUAL(think_wait_residual(&none), 0);
    think_wait_free(&none);
    run_free(&run);
}

/* ---- several processors ---- */

/* An interrupt of processor 0 wakes the thread for processor `to`, which may be another. */
static void wake(struct bed *bed, uint64_t tsc, uint32_t thread, uint8_t from, uint8_t to)
{
    TRACE_ADD(&bed->trace, tsc, thread_ready, thread, TRACE_BY(TRACE_BY_VECTOR, 64));
    if (from != to) {
        TRACE_ADD(&bed->trace, tsc, thread_migrate, thread, from, to);
    }
}

/* Processor 0 posts two inputs. The application takes the first one on processor 1, the second one
 * on processor 0, while another thread computes on processor 1, without a record, from 1500 to
 * 1700: its time comes after the events of processor 0. */
static void test_processors(void)
{
    struct trace_builder other;
    struct bed bed;

    bed_open(&bed);
    bed.trace.part = 1;
    trace_builder_init(&other, BEGIN, PACKET);
    other.cpu = 1;
    other.part = 1;
    TRACE_ADD(&other, BEGIN, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);

    TRACE_ADD(&bed.trace, 1090, isr_entry, 64);
    post(&bed, 1100);
    wake(&bed, 1108, APP, 0, 1);
    TRACE_ADD(&bed.trace, 1110, isr_exit, 64);
    TRACE_ADD(&other, 1120, isr_entry, 240);
    TRACE_ADD(&other, 1130, isr_exit, 240);
    TRACE_ADD(&other, 1130, thread_switch, 0, APP, TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
    TRACE_ADD(&other, 1140, queue_take, QUEUE, QUEUE_KEY_DOWN, 1, 0);
    TRACE_ADD(&other, 1200, input_done, QUEUE, 1);
    TRACE_ADD(&other, 1210, thread_switch, APP, 0, TRACE_WHY(WAIT_QUEUE, THREAD_WAITING));

    TRACE_ADD(&bed.trace, 1490, isr_entry, 64);
    wake(&bed, 1492, OTHER, 0, 1);
    TRACE_ADD(&bed.trace, 1495, isr_exit, 64);
    TRACE_ADD(&other, 1498, isr_entry, 240);
    TRACE_ADD(&other, 1500, isr_exit, 240);
    TRACE_ADD(&other, 1500, thread_switch, 0, OTHER, TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
    TRACE_ADD(&bed.trace, 1600, isr_entry, 64);
    bed.length = 0;
    post(&bed, 1605);
    wake(&bed, 1606, APP, 1, 0);
    TRACE_ADD(&bed.trace, 1610, isr_exit, 64);
    TRACE_ADD(&bed.trace, 1615, thread_switch, 0, APP, TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
    TRACE_ADD(&bed.trace, 1620, queue_take, QUEUE, QUEUE_KEY_DOWN, 2, 0);
    TRACE_ADD(&bed.trace, 1640, input_done, QUEUE, 2);
    TRACE_ADD(&bed.trace, 1650, thread_switch, APP, 0, TRACE_WHY(WAIT_QUEUE, THREAD_WAITING));
    TRACE_ADD(&other, 1700, thread_switch, OTHER, 0, TRACE_WHY(WAIT_SLEEP, THREAD_WAITING));

    trace_builder_finish(&bed.trace, 2000, bed.bench);
    trace_builder_finish(&other, 2000, bed.bench);
    CHECK(think_wait_read(&bed.result, bed.bench, PERCEPTIBLE));
    CHECK_EQUAL(think_wait_residual(&bed.result), 0);
    CHECK_EQUAL(bed.result.elapsed, 1000);
    CHECK_EQUAL(bed.result.ticks[THINK_IDLE], 90 + 280 + 3 + 300);
    CHECK_EQUAL(bed.result.ticks[THINK_BUSY], 10 + 10 + 5 + 107 + 60);
    CHECK_EQUAL(bed.result.ticks[WAIT_QUEUED], 10 + 20 + 15);
    CHECK_EQUAL(bed.result.ticks[WAIT_QUEUED_IDLE], 10);
    CHECK_EQUAL(bed.result.ticks[WAIT_WORK], 60 + 20);
    CHECK_EQUAL(bed.result.machines[MACHINE_PROCESSOR].wait, 317);
    CHECK_EQUAL(bed.result.machines[MACHINE_PROCESSOR].missed, 10);
    CHECK_EQUAL(bed.result.waits, 2);
    CHECK_EQUAL(bed.result.longest, 100);
    CHECK_EQUAL(bed.result.longest_at, 1100);
    bed_close(&bed);
}

/* ---- random traces, tick by tick ---- */

#define TRACES     200
#define TICKS      4000
#define QUEUES     2
#define DEVICES    2
#define INPUTS_MAX 600
#define STEPS_MAX  400

/* The definition, with nothing clever in it: sets of inputs. APP emits input_done, MUTE does
 * not; both read both queues. */
struct world {
    uint64_t seed;
    uint64_t now;
    struct bed bed;
    bool in_queue[QUEUES][INPUTS_MAX];
    bool worked_on[THREADS][QUEUES][INPUTS_MAX];
    unsigned outstanding[DEVICES];
    uint32_t inputs;
    bool interrupt;
    uint64_t entry;          /* of the interrupt */
    bool handles[THREADS];   /* has an input from a call, and has not called since */
    uint8_t bits[TICKS];     /* BUSY, QUEUED, ... of each tick */
    uint64_t handler[TICKS]; /* the entry of the interrupt that each tick is in; 0: none */
    bool takes[TICKS];       /* a call returns an input at its begin, to a thread without one */
};

static uint64_t pick(struct world *world, uint64_t below)
{
    return unit_random(&world->seed) % below;
}

static unsigned bits_of(const struct world *world)
{
    unsigned bits = world->bed.current != 0 || world->interrupt ? BUSY : 0;

    for (unsigned i = 0; i < INPUTS_MAX; i++) {
        bits |= world->in_queue[0][i] || world->in_queue[1][i] ? QUEUED : 0;
        for (unsigned q = 0; q < QUEUES; q++) {
            bits |= world->worked_on[APP][q][i] || world->worked_on[MUTE][q][i] ? WORK : 0;
        }
    }
    bits |= world->outstanding[0] > 0 || world->outstanding[1] > 0 ? IO : 0;
    bits |= world->handles[APP] || world->handles[MUTE] ? HANDLES : 0;
    return bits;
}

/* Time goes on, often not at all. */
static uint64_t later(struct world *world)
{
    const uint64_t to = world->now + (pick(world, 3) == 0 ? 0 : pick(world, 12));
    const unsigned bits = bits_of(world);

    for (; world->now < to; world->now++) {
        world->bits[world->now - BEGIN] = (uint8_t)bits;
        world->handler[world->now - BEGIN] = world->interrupt ? world->entry : 0;
    }
    return world->now;
}

static void take_oldest(struct world *world, uint32_t queue)
{
    uint32_t input = 1;

    while (input < INPUTS_MAX && !world->in_queue[queue][input]) {
        input++;
    }
    if (input == INPUTS_MAX) {
        return;
    }
    TRACE_ADD(&world->bed.trace, later(world), queue_take, queue, QUEUE_KEY_DOWN, input, 1);
    world->in_queue[queue][input] = false;
    world->worked_on[world->bed.current][queue][input] = true;
    world->takes[world->now - BEGIN] |= !world->handles[world->bed.current];
    world->handles[world->bed.current] = true;
}

static void call(struct world *world, uint32_t queue)
{
    static const enum queue_call calls[] = {QUEUE_CALL_GET, QUEUE_CALL_PEEK, QUEUE_CALL_WAIT_IDLE,
                                            QUEUE_RETURN_LEFT};
    const enum queue_call which = calls[pick(world, 4)];

    TRACE_ADD(&world->bed.trace, later(world), queue_call, queue, which, 1);
    if (which != QUEUE_RETURN_LEFT) {
        world->handles[world->bed.current] = false;
    }
    if (world->bed.current == MUTE && which != QUEUE_RETURN_LEFT) {
        memset(world->worked_on[MUTE], 0, sizeof(world->worked_on[MUTE]));
    }
}

static void put_done(struct world *world, uint32_t queue)
{
    const uint32_t input = (uint32_t)pick(world, world->inputs + 1);

    TRACE_ADD(&world->bed.trace, later(world), input_done, queue, input);
    for (uint32_t i = 0; i <= input; i++) {
        world->worked_on[APP][queue][i] = false;
    }
}

static void act_as_application(struct world *world)
{
    const uint32_t queue = (uint32_t)pick(world, QUEUES);

    switch (pick(world, 4)) {
    case 0:
        call(world, queue);
        break;
    case 1:
        if (world->bed.current == APP) {
            put_done(world, queue);
        }
        break;
    default:
        take_oldest(world, queue);
        break;
    }
}

static void post_anything(struct world *world)
{
    const uint32_t queue = (uint32_t)pick(world, QUEUES);
    const uint32_t input = pick(world, 4) == 0 ? 0 : ++world->inputs;

    const enum queue_message_type type = pick(world, 4) == 0 ? QUEUE_SYNC : QUEUE_KEY_DOWN;

    TRACE_ADD(&world->bed.trace, later(world), queue_post, queue, type, input, 1);
    world->in_queue[queue][input] = input != 0 && type == QUEUE_KEY_DOWN;
}

/* An input whose byte was read a while ago, by whatever ran then; mostly its message follows. */
static void arrive(struct world *world)
{
    const uint64_t at = later(world);
    const uint64_t ago = pick(world, 40);
    const uint64_t stamp = at - BEGIN > ago ? at - ago : BEGIN;
    const uint64_t entry =
        stamp == at ? (world->interrupt ? world->entry : 0) : world->handler[stamp - BEGIN];
    const uint32_t queue = (uint32_t)pick(world, QUEUES);
    const uint32_t input = ++world->inputs;

    TRACE_ADD(&world->bed.trace, at, input, input, INPUT_KEY_DOWN, 0x1e, stamp);
    if (pick(world, 4) > 0) {
        TRACE_ADD(&world->bed.trace, later(world), queue_post, queue, QUEUE_KEY_DOWN, input, 1);
        world->in_queue[queue][input] = true;
    }
    for (uint64_t tick = entry != 0 ? entry : stamp; tick < world->now; tick++) {
        world->bits[tick - BEGIN] |= ARRIVED;
    }
}

static void change_io(struct world *world)
{
    const uint32_t device = (uint32_t)pick(world, DEVICES);
    const enum io_kind kind = (enum io_kind)pick(world, IO_KINDS);
    const unsigned outstanding = (unsigned)pick(world, 3);

    TRACE_ADD(&world->bed.trace, later(world), io_status, device, kind, outstanding);
    if (kind == IO_SYNCHRONOUS) {
        world->outstanding[device] = outstanding;
    }
}

/* A thread runs; idle more often than others. */
static void schedule(struct world *world)
{
    static const uint32_t threads[] = {0, 0, APP, MUTE, OTHER};

    if (!world->interrupt) {
        run_thread(&world->bed, later(world), threads[pick(world, 5)]);
    }
}

static void toggle_interrupt(struct world *world)
{
    if (world->interrupt) {
        TRACE_ADD(&world->bed.trace, later(world), isr_exit, 0x51);
    } else {
        TRACE_ADD(&world->bed.trace, later(world), isr_entry, 0x51);
        world->entry = world->now;
    }
    world->interrupt = !world->interrupt;
}

static void step(struct world *world)
{
    switch (pick(world, 7)) {
    case 6:
        arrive(world);
        break;
    case 0:
        schedule(world);
        break;
    case 1:
        post_anything(world);
        break;
    case 2:
        change_io(world);
        break;
    case 3:
        toggle_interrupt(world);
        break;
    default:
        if (!world->interrupt && (world->bed.current == APP || world->bed.current == MUTE)) {
            act_as_application(world);
        }
        break;
    }
}

/* APP emits input_done at least once. */
static void end_world(struct world *world)
{
    if (world->interrupt) {
        toggle_interrupt(world);
    }
    run_thread(&world->bed, later(world), APP);
    put_done(world, 0);
}

/* The state of a tick: what has arrived is as good as queued. */
static enum think_wait_state state_at(const struct world *world, uint64_t tick)
{
    const unsigned bits = world->bits[tick];

    return expected[(bits & (ALL - 1)) | ((bits & ARRIVED) != 0 ? QUEUED : 0)];
}

/* What MACHINE_PROCESSOR_CALLS claims, from the end backwards. */
static void add_calls(const struct world *world, uint64_t *wait, uint64_t *false_wait)
{
    bool ahead = false; /* a take, with nothing but busy ticks before it */

    for (uint64_t t = world->now - BEGIN; t-- > 0;) {
        const unsigned bits = world->bits[t];
        const bool handles = (bits & HANDLES) != 0;

        ahead = (ahead || world->takes[t + 1]) && !handles && (bits & BUSY) != 0;
        *wait += ahead || handles;
        *false_wait += (ahead || handles) && !think_wait_waits(state_at(world, t));
    }
}

static void compare(const struct world *world)
{
    const struct think_wait *result = &world->bed.result;
    uint64_t ticks[THINK_WAIT_STATES] = {0};
    uint64_t wait[THINK_WAIT_MACHINES] = {0};
    uint64_t false_wait[THINK_WAIT_MACHINES] = {0};
    size_t transitions = 0;
    bool engaged = false;

    for (uint64_t t = 0; t < world->now - BEGIN; t++) {
        const unsigned bits = world->bits[t];
        const enum think_wait_state state = state_at(world, t);
        const bool waits = think_wait_waits(state);

        engaged = (bits & QUEUED) != 0 || (engaged && (bits & BUSY) != 0);
        ticks[state]++;
        wait[MACHINE_COMPLETE] += waits;
        wait[MACHINE_PROCESSOR] += (bits & BUSY) != 0;
        false_wait[MACHINE_PROCESSOR] += (bits & BUSY) != 0 && !waits;
        wait[MACHINE_PROCESSOR_QUEUE] += engaged;
        false_wait[MACHINE_PROCESSOR_QUEUE] += engaged && !waits;
        if (t > 0 && state != state_at(world, t - 1)) {
            check_transition(result, transitions++, BEGIN + t, state_at(world, t - 1), state);
        }
    }
    add_calls(world, &wait[MACHINE_PROCESSOR_CALLS], &false_wait[MACHINE_PROCESSOR_CALLS]);
    check_ticks(result, ticks);
    CHECK_EQUAL(result->transition_count, transitions);
    for (size_t i = 0; i < THINK_WAIT_MACHINES; i++) {
        check_machine(result, (enum think_wait_machine)i, wait[i], false_wait[i],
                      wait[MACHINE_COMPLETE] - (wait[i] - false_wait[i]));
    }
}

static void test_trace(struct world *world, uint64_t seed)
{
    const unsigned long failed = unit_failed_checks;

    memset(world, 0, sizeof(*world));
    world->seed = seed;
    world->now = BEGIN;
    bed_open(&world->bed);
    for (unsigned i = 0; i < STEPS_MAX && world->now < BEGIN + TICKS - 100; i++) {
        step(world);
    }
    end_world(world);
    bed_finish(&world->bed, later(world));
    compare(world);
    if (unit_failed_checks != failed) {
        fprintf(stderr, "    in the trace of seed %" PRIu64 "\n", seed);
    }
    bed_close(&world->bed);
}

static void test_traces(void)
{
    struct world *world = alloc_zeroed(sizeof(*world));

    for (uint64_t seed = 1; seed <= TRACES; seed++) {
        test_trace(world, seed * 0x9e3779b97f4a7c15u);
    }
    free(world);
}

/* Packets are lost anywhere: the states still sum to what elapsed (bed_finish). */
static void test_losses(void)
{
    struct world *world = alloc_zeroed(sizeof(*world));

    for (uint64_t seed = 1; seed <= TRACES; seed++) {
        memset(world, 0, sizeof(*world));
        world->seed = seed * 0x9e3779b97f4a7c15u;
        world->now = BEGIN;
        bed_open(&world->bed);
        for (unsigned i = 0; i < STEPS_MAX && world->now < BEGIN + TICKS - 100; i++) {
            step(world);
            if (pick(world, 20) == 0) {
                trace_builder_turn(&world->bed.trace, world->now, world->now, 0);
                if (pick(world, 4) == 0) {
                    trace_builder_lose(&world->bed.trace);
                }
            }
        }
        bed_finish(&world->bed, world->now);
        bed_close(&world->bed);
    }
    free(world);
}

/* Between two phases the bench works for itself: no state, no wait, and not elapsed. A mark within
 * a phase changes nothing. */
static void test_phases(void)
{
    static const uint64_t ticks[THINK_WAIT_STATES] = {
        [THINK_IDLE] = 50 + 50 + 100, [THINK_BUSY] = 50, [WAIT_WORK] = 100};
    struct bed bed;

    bed_open(&bed);
    trace_builder_name(bed.bench, "mark", 1, "first");
    trace_builder_name(bed.bench, "mark", 2, "over");
    run_thread(&bed, 1100, OTHER);
    run_thread(&bed, 1200, 0);
    TRACE_ADD(&bed.trace, 1250, mark, 1, 1); /* everything before is without a user */
    run_thread(&bed, 1300, OTHER);
    TRACE_ADD(&bed.trace, 1310, mark, 7, 1);
    TRACE_ADD(&bed.trace, 1350, mark, 2, 1);
    set_io(&bed, 1400, 1);
    set_io(&bed, 1500, 0);
    run_thread(&bed, 1550, 0);
    TRACE_ADD(&bed.trace, 1600, mark, 1, 1);
    run_thread(&bed, 1650, APP);
    post(&bed, 1650);
    take(&bed, 1650);
    TRACE_ADD(&bed.trace, 1750, input_done, QUEUE, 1);
    run_thread(&bed, 1750, 0);
    TRACE_ADD(&bed.trace, 1850, mark, 2, 1);
    run_thread(&bed, 1900, OTHER);
    bed_finish(&bed, 2000);
    CHECK_EQUAL(bed.result.elapsed, 350);
    check_ticks(&bed.result, ticks);
    CHECK_EQUAL(bed.result.waits, 1);
    CHECK_EQUAL(bed.result.transition_count, 3);
    check_machine(&bed.result, MACHINE_PROCESSOR, 150, 50, 0);
    bed_close(&bed);
}

int main(void)
{
    RUN(test_changes());
    RUN(test_key());
    RUN(test_list());
    RUN(test_arrival());
    RUN(test_mute());
    RUN(test_asynchronous());
    RUN(test_order());
    RUN(test_ends());
    RUN(test_gap());
    RUN(test_gap_queues());
    RUN(test_parts());
    RUN(test_phases());
    RUN(test_absent());
    RUN(test_traces());
    RUN(test_processors());
    RUN(test_losses());
    return unit_finish("unit_think_wait");
}
