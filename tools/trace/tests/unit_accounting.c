/* SPDX-License-Identifier: BSD-2-Clause */
/* Event-driven accounting, rule by rule, against sums made by hand. */
#include "tools/trace/accounting.h"

#include "tools/base/trace_bytes.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"

#define PACKET 4096
#define BEGIN  1000

/* What a test has at hand. */
struct bed {
    struct run run;
    struct run_bench *bench;
    struct trace_builder trace;
    struct accounting accounting;
};

static const struct run_trace_costs no_costs = {0};
static const struct run_trace_costs costs = {
    .record = 10,
    .lead = 4,
    .extended = 20,
    .isr_lead = 15,
    .isr_trail = 12,
    .dpc_trail = 11,
    .switch_trail = 9,
};

static void bed_open(struct bed *bed)
{
    memset(bed, 0, sizeof(*bed));
    run_init(&bed->run);
    bed->bench = build_bench(&bed->run, "b", 1);
    trace_builder_init(&bed->trace, BEGIN, PACKET);
}

static void bed_add_part(struct bed *bed, uint64_t end, const struct run_trace_costs *of)
{
    trace_builder_finish(&bed->trace, end, bed->bench)->costs = *of;
}

/* All accounts add up in any case, and so do the states of each thread. */
static void check_consistency(const struct accounting *accounting)
{
    CHECK_EQUAL(accounting_sum(accounting), accounting->elapsed);
    for (size_t i = 0; i < accounting->thread_count; i++) {
        const struct account_thread *thread = accounting->threads[i];

        CHECK_EQUAL(thread->running + thread->interrupted + thread->fault +
                        account_ready_ticks(thread) + account_waiting_ticks(thread) +
                        thread->unknown,
                    thread->life);
    }
}

static void bed_read(struct bed *bed)
{
    CHECK(accounting_read(&bed->accounting, bed->bench, NULL, 0));
    check_consistency(&bed->accounting);
}

static void bed_finish(struct bed *bed, uint64_t end, const struct run_trace_costs *of)
{
    bed_add_part(bed, end, of);
    bed_read(bed);
}

static void bed_close(struct bed *bed)
{
    accounting_free(&bed->accounting);
    run_free(&bed->run);
}

static const struct account_thread *thread(const struct bed *bed, uint32_t id)
{
    return accounting_thread(&bed->accounting, id);
}

/* A thread's states: running, interrupted, ready, waiting. */
static void check_states(const struct bed *bed, uint32_t id, uint64_t running, uint64_t interrupted,
                         uint64_t ready, uint64_t waiting)
{
    CHECK_EQUAL(thread(bed, id)->running, running);
    CHECK_EQUAL(thread(bed, id)->interrupted, interrupted);
    CHECK_EQUAL(account_ready_ticks(thread(bed, id)), ready);
    CHECK_EQUAL(account_waiting_ticks(thread(bed, id)), waiting);
}

static void check_spread(const struct account_spread *spread, uint64_t n, uint64_t total,
                         uint64_t min, uint64_t max)
{
    CHECK_EQUAL(spread->n, n);
    CHECK_EQUAL(spread->total, total);
    CHECK_EQUAL(spread->min, min);
    CHECK_EQUAL(spread->max, max);
}

#define WAIT(reason)  TRACE_WHY(reason, THREAD_WAITING)
#define STAY(reason)  TRACE_WHY(reason, THREAD_READY)
#define BY_VECTOR(id) TRACE_BY(TRACE_BY_VECTOR, id)

/* Thread 1 runs, thread 0 is ready. */
static void add_two_threads(struct bed *bed)
{
    TRACE_ADD(&bed->trace, 1010, thread_is, 1, 0, 31, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&bed->trace, 1020, thread_is, 0, 0, 0, THREAD_READY, WAIT_NONE);
}

/* 1 sleeps at 1100; an interrupt at 1300 wakes it, it runs at 1360 and sleeps again at 1450. */
static void add_sleep(struct bed *bed)
{
    add_two_threads(bed);
    TRACE_ADD(&bed->trace, 1100, thread_switch, 1, 0, WAIT(WAIT_SLEEP));
    TRACE_ADD(&bed->trace, 1300, isr_entry, 64);
    TRACE_ADD(&bed->trace, 1310, thread_ready, 1, BY_VECTOR(64));
    TRACE_ADD(&bed->trace, 1340, isr_exit, 64);
    TRACE_ADD(&bed->trace, 1360, thread_switch, 0, 1, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&bed->trace, 1450, thread_switch, 1, 0, WAIT(WAIT_SLEEP));
}

static void test_without_costs(void)
{
    struct bed bed;

    bed_open(&bed);
    add_sleep(&bed);
    bed_finish(&bed, 1500, &no_costs);
    CHECK_EQUAL(bed.accounting.elapsed, 500);
    CHECK_EQUAL(bed.accounting.events, 8);
    CHECK_EQUAL(bed.accounting.tracer, 0);
    CHECK_EQUAL(bed.accounting.unknown, 0);
    CHECK_EQUAL(bed.accounting.dispatch, 20); /* 1340 to 1360 */
    CHECK_EQUAL(bed.accounting.vectors[64]->ticks, 40);
    check_spread(&bed.accounting.vectors[64]->net, 1, 40, 40, 40);
    check_spread(&bed.accounting.vectors[64]->gross, 1, 40, 40, 40);
    CHECK_EQUAL(bed.accounting.vectors[64]->net.bins[6], 1); /* 32 to 63 */
    /* 1000-1100, 1360-1450; ready 1310-1360; waiting 1100-1310, 1450-1500. */
    check_states(&bed, 1, 190, 0, 50, 260);
    CHECK_EQUAL(thread(&bed, 1)->ready[READY_WOKEN], 50);
    CHECK_EQUAL(thread(&bed, 1)->waiting[WAIT_SLEEP], 260);
    check_spread(&thread(&bed, 1)->wake, 1, 50, 50, 50);
    CHECK_EQUAL(thread(&bed, 1)->switches, 1);
    CHECK_EQUAL(thread(&bed, 1)->wakeups, 1);
    CHECK_EQUAL(thread(&bed, 1)->preemptions, 0);
    CHECK_EQUAL(thread(&bed, 1)->life, 500);
    /* 1100-1300, 1450-1500; 1300-1360 interrupted; ready the rest. */
    check_states(&bed, 0, 250, 60, 190, 0);
    CHECK_EQUAL(thread(&bed, 0)->ready[READY_PREEMPTED], 90);
    CHECK_EQUAL(thread(&bed, 0)->switches, 2);
    CHECK_EQUAL(thread(&bed, 0)->preemptions, 1);
    CHECK_EQUAL(thread(&bed, 0)->wake.n, 0);
    CHECK_EQUAL(accounting_conflicts(&bed.accounting), 0);
    bed_close(&bed);
}

/*
 * The same with what recording and interrupts take: 10 a record, 4 of it before its stamp.
 *
 *     span        tracer   rest
 *     1000-1010      0+4   6 thread 1
 *     1010-1020      6+4   0
 *     1020-1100      6+4   70 thread 1
 *     1100-1300      6+4   11 = 15 - 4 vector at its end, 179 idle
 *     1300-1310      6+4   0
 *     1310-1340      6+4   20 vector
 *     1340-1360      6+4   10 dispatch
 *     1360-1450      6+4   80 thread 1, which had not been preempted
 *     1450-1500      6+0   3 = 9 - 6 dispatch at its begin, 41 idle, which had
 */
static void test_costs(void)
{
    struct bed bed;

    bed_open(&bed);
    add_sleep(&bed);
    bed_finish(&bed, 1500, &costs);
    CHECK_EQUAL(bed.accounting.tracer, 80);
    CHECK_EQUAL(bed.accounting.dispatch, 13);
    CHECK_EQUAL(bed.accounting.vectors[64]->ticks, 31);
    check_spread(&bed.accounting.vectors[64]->net, 1, 31, 31, 31);
    check_spread(&bed.accounting.vectors[64]->gross, 1, 40, 40, 40);
    check_states(&bed, 1, 156, 34, 50, 260);
    check_states(&bed, 0, 220, 90, 190, 0);
    bed_close(&bed);
}

/* Behind an interrupt that changes nothing: isr_trail, of which 6 are the tracer's. */
static void test_trail(void)
{
    struct bed bed;

    bed_open(&bed);
    TRACE_ADD(&bed.trace, 1000, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&bed.trace, 1100, isr_entry, 64);
    TRACE_ADD(&bed.trace, 1150, isr_exit, 64);
    TRACE_ADD(&bed.trace, 1200, isr_entry, 65);
    TRACE_ADD(&bed.trace, 1250, isr_exit, 65);
    TRACE_ADD(&bed.trace, 1263, isr_entry, 65); /* 13 is too short: 6 + 4 the tracer, 3 the trail */
    TRACE_ADD(&bed.trace, 1300, isr_exit, 65);
    bed_finish(&bed, 1400, &costs);
    /* 64: 11 before, 40 inside, 6 behind. 65: 11 + 40 + 3, 0 + 27 + 6. */
    check_spread(&bed.accounting.vectors[64]->net, 1, 57, 57, 57);
    check_spread(&bed.accounting.vectors[65]->net, 2, 87, 33, 54);
    check_spread(&bed.accounting.vectors[65]->gross, 2, 87, 37, 50);
    CHECK_EQUAL(bed.accounting.vectors[65]->ticks, 87);
    CHECK_EQUAL(bed.accounting.tracer, 6 + 6 * 10);
    CHECK_EQUAL(thread(&bed, 0)->running, 400 - 57 - 87 - 66);
    CHECK_EQUAL(bed.accounting.dispatch, 0);
    bed_close(&bed);
}

/* 64 is interrupted by 80, and that by 96; then 80 once more. */
static void test_nesting(void)
{
    struct bed bed;

    bed_open(&bed);
    TRACE_ADD(&bed.trace, 1000, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&bed.trace, 1100, isr_entry, 64);
    TRACE_ADD(&bed.trace, 1200, isr_entry, 80);
    TRACE_ADD(&bed.trace, 1250, isr_entry, 96);
    TRACE_ADD(&bed.trace, 1260, isr_exit, 96);
    TRACE_ADD(&bed.trace, 1300, isr_exit, 80);
    TRACE_ADD(&bed.trace, 1350, isr_entry, 80);
    TRACE_ADD(&bed.trace, 1370, isr_exit, 80);
    TRACE_ADD(&bed.trace, 1400, isr_exit, 64);
    bed_finish(&bed, 1500, &no_costs);
    check_spread(&bed.accounting.vectors[64]->net, 1, 180, 180, 180);
    check_spread(&bed.accounting.vectors[64]->gross, 1, 300, 300, 300);
    CHECK_EQUAL(bed.accounting.vectors[64]->nested, 2);
    check_spread(&bed.accounting.vectors[80]->net, 2, 110, 20, 90);
    check_spread(&bed.accounting.vectors[80]->gross, 2, 120, 20, 100);
    CHECK_EQUAL(bed.accounting.vectors[80]->nested, 1);
    check_spread(&bed.accounting.vectors[96]->net, 1, 10, 10, 10);
    CHECK_EQUAL(thread(&bed, 0)->running, 200);
    CHECK_EQUAL(thread(&bed, 0)->interrupted, 300);
    bed_close(&bed);
}

/* In the costs of nesting, the trail of the inner is not the outer's: 12 - 6 behind it. */
static void test_nesting_costs(void)
{
    struct bed bed;

    bed_open(&bed);
    TRACE_ADD(&bed.trace, 1000, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&bed.trace, 1100, isr_entry, 64);
    TRACE_ADD(&bed.trace, 1200, isr_entry, 80);
    TRACE_ADD(&bed.trace, 1250, isr_exit, 80);
    TRACE_ADD(&bed.trace, 1300, isr_exit, 64);
    bed_finish(&bed, 1400, &costs);
    /* 80: 11 + 40 + 6. 64: 11, of 100 without 6 + 4 + 11, of 50 without 6 + 6 + 4, and 6. */
    check_spread(&bed.accounting.vectors[80]->net, 1, 57, 57, 57);
    check_spread(&bed.accounting.vectors[64]->net, 1, 11 + 79 + 34 + 6, 130, 130);
    bed_close(&bed);
}

/*
 * An interrupt queues two DPCs; in the first an interrupt comes. Behind the second thread 1, which
 * the first woke, preempts the idle thread.
 */
static void add_dpcs(struct bed *bed)
{
    add_two_threads(bed);
    TRACE_ADD(&bed->trace, 1100, thread_switch, 1, 0, WAIT(WAIT_MESSAGE));
    TRACE_ADD(&bed->trace, 1200, isr_entry, 64);
    TRACE_ADD(&bed->trace, 1210, dpc_queue, 3);
    TRACE_ADD(&bed->trace, 1220, dpc_queue, 5);
    TRACE_ADD(&bed->trace, 1230, dpc_queue, 3); /* is queued already */
    TRACE_ADD(&bed->trace, 1240, isr_exit, 64);
    TRACE_ADD(&bed->trace, 1260, dpc_entry, 3);
    TRACE_ADD(&bed->trace, 1280, thread_ready, 1, TRACE_BY(TRACE_BY_DPC, 3));
    TRACE_ADD(&bed->trace, 1300, isr_entry, 64);
    TRACE_ADD(&bed->trace, 1330, isr_exit, 64);
    TRACE_ADD(&bed->trace, 1400, dpc_exit, 3);
    TRACE_ADD(&bed->trace, 1415, dpc_entry, 5);
    TRACE_ADD(&bed->trace, 1440, dpc_exit, 5);
}

static void test_dpcs(void)
{
    struct bed bed;

    bed_open(&bed);
    add_dpcs(&bed);
    TRACE_ADD(&bed.trace, 1460, thread_switch, 0, 1, STAY(WAIT_PREEMPTED));
    bed_finish(&bed, 1500, &no_costs);
    CHECK_EQUAL(bed.accounting.dispatch, 20 + 15 + 20);
    check_spread(&bed.accounting.dpcs[3]->net, 1, 110, 110, 110);
    check_spread(&bed.accounting.dpcs[3]->gross, 1, 140, 140, 140);
    check_spread(&bed.accounting.dpcs[3]->queued, 1, 50, 50, 50);
    CHECK_EQUAL(bed.accounting.dpcs[3]->nested, 1);
    check_spread(&bed.accounting.dpcs[5]->net, 1, 25, 25, 25);
    check_spread(&bed.accounting.dpcs[5]->queued, 1, 195, 195, 195);
    check_spread(&bed.accounting.vectors[64]->net, 2, 70, 30, 40);
    CHECK_EQUAL(thread(&bed, 0)->running, 100);
    CHECK_EQUAL(thread(&bed, 0)->interrupted, 260);
    check_spread(&thread(&bed, 1)->wake, 1, 180, 180, 180);
    bed_close(&bed);
}

/* Where no switch follows the last DPC, the way back is dispatch: 11 - 6. */
static void test_dpc_trail(void)
{
    struct bed bed;

    bed_open(&bed);
    add_dpcs(&bed);
    bed_finish(&bed, 1500, &costs);
    CHECK_EQUAL(bed.accounting.dispatch, (20 - 10) + (15 - 10) + 5);
    /* 1260-1280 and 1280-1300 less 10, 10 + 11; 1330-1400 less 10 and the trail of 6. */
    CHECK_EQUAL(bed.accounting.dpcs[3]->ticks, 10 + 0 + 54);
    /* 1100-1200 less 10 + 11; 1440-1500 less 6 + 5. */
    CHECK_EQUAL(thread(&bed, 0)->running, 79 + 49);
    bed_close(&bed);
}

/* Only for WAIT_PREEMPTED, and only right behind a handler, is it dispatch. */
static void test_not_dispatch(void)
{
    struct bed bed;

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1100, isr_entry, 64);
    TRACE_ADD(&bed.trace, 1150, isr_exit, 64);
    TRACE_ADD(&bed.trace, 1170, thread_switch, 1, 0, STAY(WAIT_YIELD));
    TRACE_ADD(&bed.trace, 1200, isr_entry, 64);
    TRACE_ADD(&bed.trace, 1250, isr_exit, 64);
    TRACE_ADD(&bed.trace, 1260, mark, 1, 1);
    TRACE_ADD(&bed.trace, 1270, thread_switch, 0, 1, STAY(WAIT_PREEMPTED));
    bed_finish(&bed, 1300, &no_costs);
    CHECK_EQUAL(bed.accounting.dispatch, 0);
    check_states(&bed, 1, 100 + 20 + 30, 50, 100, 0);
    CHECK_EQUAL(thread(&bed, 1)->ready[READY_YIELDED], 100);
    check_states(&bed, 0, 30 + 20, 50, 200, 0);
    bed_close(&bed);
}

/* Extended records cost 20; opening a packet lies before the stamp of its first record. */
static void test_records(void)
{
    const uint64_t late = UINT64_C(1) << 28;
    struct bed bed;

    bed_open(&bed);
    TRACE_ADD(&bed.trace, 1010, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&bed.trace, late, mark, 0, 0); /* extended: the upper bits changed */
    TRACE_ADD(&bed.trace, late + 100, mark, 0, 0);
    trace_builder_turn(&bed.trace, late + 110, late + 150, 30);
    TRACE_ADD(&bed.trace, late + 200, mark, 0, 0);
    bed_finish(&bed, late + 300, &costs);
    CHECK_EQUAL(bed.accounting.tracer, 10 + 20 + 10 + (30 + 10));
    CHECK_EQUAL(thread(&bed, 0)->running, late + 300 - BEGIN - 80);
    bed_close(&bed);
}

/* The trail of an exit that is recorded in the long form comes behind all of that: 16, then 6. */
static void test_extended_trail(void)
{
    const uint64_t late = UINT64_C(1) << 28;
    struct bed bed;

    bed_open(&bed);
    TRACE_ADD(&bed.trace, 1000, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&bed.trace, late - 100, isr_entry, 64);
    TRACE_ADD(&bed.trace, late, isr_exit, 64); /* extended */
    bed_finish(&bed, late + 100, &costs);
    /* isr_entry is extended as well. */
    CHECK_EQUAL(bed.accounting.tracer, 6 + (4 + 16) + (4 + 16));
    CHECK_EQUAL(bed.accounting.vectors[64]->ticks, 11 + (100 - 16 - 4) + 6);
    CHECK_EQUAL(thread(&bed, 0)->running, late + 100 - 1000 - 46 - 97);
    bed_close(&bed);
}

/* A record's part before its stamp cannot be more than all of it. */
static void test_long_lead(void)
{
    const struct run_trace_costs odd = {.record = 10, .lead = 70, .extended = 10};
    struct bed bed;

    bed_open(&bed);
    TRACE_ADD(&bed.trace, 1000, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&bed.trace, 1100, mark, 1, 1);
    bed_finish(&bed, 1200, &odd);
    CHECK_EQUAL(bed.accounting.tracer, 10);
    bed_close(&bed);
}

/* A span too short for all: the tracer behind a stamp comes first, then the tracer before one. */
static void test_short_spans(void)
{
    struct bed bed;

    bed_open(&bed);
    TRACE_ADD(&bed.trace, 1000, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&bed.trace, 1005, isr_entry, 64); /* 5 of 6 behind */
    TRACE_ADD(&bed.trace, 1013, isr_exit, 64);  /* 6 behind, 2 of 4 before */
    TRACE_ADD(&bed.trace, 1013, mark, 1, 1);    /* nothing */
    TRACE_ADD(&bed.trace, 1014, mark, 1, 1);
    bed_finish(&bed, 1020, &costs);
    CHECK_EQUAL(bed.accounting.tracer, 20);
    CHECK_EQUAL(thread(&bed, 0)->running, 0);
    check_spread(&bed.accounting.vectors[64]->net, 1, 0, 0, 0);
    CHECK_EQUAL(bed.accounting.vectors[64]->net.bins[0], 1);
    bed_close(&bed);
}

static void test_faults(void)
{
    struct bed bed;

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1100, fault_entry, 0x5000, FAULT_DEMAND_ZERO);
    TRACE_ADD(&bed.trace, 1120, isr_entry, 64); /* goes to the vector, not to the fault */
    TRACE_ADD(&bed.trace, 1130, isr_exit, 64);
    TRACE_ADD(&bed.trace, 1160, fault_exit, FAULT_DEMAND_ZERO);
    TRACE_ADD(&bed.trace, 1200, fault_entry, 0x6000, FAULT_COPY_ON_WRITE);
    TRACE_ADD(&bed.trace, 1210, fault_exit, FAULT_COPY_ON_WRITE);
    bed_finish(&bed, 1300, &no_costs);
    CHECK_EQUAL(thread(&bed, 1)->faults, 2);
    CHECK_EQUAL(thread(&bed, 1)->fault, 20 + 30 + 10);
    CHECK_EQUAL(thread(&bed, 1)->running, 300 - 60 - 10);
    CHECK_EQUAL(thread(&bed, 1)->interrupted, 10);
    bed_close(&bed);
}

/* Threads start, are woken, yield, are overtaken, end; each cause of being ready is separate. */
static void test_states(void)
{
    struct bed bed;

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1100, thread_start, 2, 7, 10);
    TRACE_ADD(&bed.trace, 1105, thread_ready, 2, 1); /* as the kernel records a new one */
    TRACE_ADD(&bed.trace, 1110, thread_start, 3, 7, 12);
    TRACE_ADD(&bed.trace, 1200, thread_switch, 1, 2, WAIT(WAIT_JOIN));
    TRACE_ADD(&bed.trace, 1230, thread_switch, 2, 3, STAY(WAIT_YIELD));
    TRACE_ADD(&bed.trace, 1250, thread_ready, 1, 3);
    TRACE_ADD(&bed.trace, 1260, thread_switch, 3, 1, STAY(WAIT_OVERTAKEN));
    TRACE_ADD(&bed.trace, 1300, thread_switch, 1, 3, WAIT(WAIT_MUTEX));
    TRACE_ADD(&bed.trace, 1310, thread_switch, 3, 2, TRACE_WHY(WAIT_EXIT, THREAD_ENDED));
    TRACE_ADD(&bed.trace, 1350, thread_switch, 2, 2, STAY(WAIT_YIELD)); /* to itself */
    bed_finish(&bed, 1400, &no_costs);
    check_states(&bed, 1, 200 + 40, 0, 10, 150);
    CHECK_EQUAL(thread(&bed, 1)->waiting[WAIT_JOIN], 50);
    CHECK_EQUAL(thread(&bed, 1)->waiting[WAIT_MUTEX], 100);
    check_states(&bed, 2, 30 + 40 + 50, 0, 100 + 80, 0);
    CHECK_EQUAL(thread(&bed, 2)->life, 300);
    CHECK_EQUAL(thread(&bed, 2)->ready[READY_STARTED], 5);
    CHECK_EQUAL(thread(&bed, 2)->ready[READY_WOKEN], 95);
    CHECK_EQUAL(thread(&bed, 2)->ready[READY_YIELDED], 80);
    CHECK_EQUAL(thread(&bed, 2)->process, 7);
    CHECK_EQUAL(thread(&bed, 2)->first_priority, 10);
    CHECK_EQUAL(thread(&bed, 2)->switches, 3);
    check_spread(&thread(&bed, 2)->wake, 1, 95, 95, 95);
    check_states(&bed, 3, 30 + 10, 0, 120 + 40, 0);
    CHECK_EQUAL(thread(&bed, 3)->life, 200);
    CHECK_EQUAL(thread(&bed, 3)->ready[READY_STARTED], 120);
    CHECK_EQUAL(thread(&bed, 3)->ready[READY_OVERTAKEN], 40);
    CHECK_EQUAL(accounting_conflicts(&bed.accounting), 0);
    bed_close(&bed);
}

/* Priorities as described, as changed, and a number that is given anew. */
static void test_descriptions(void)
{
    struct bed bed;

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1100, thread_priority, 1, 12);
    TRACE_ADD(&bed.trace, 1200, thread_start, 0, 0, 0); /* a second session */
    bed_finish(&bed, 1300, &no_costs);
    CHECK_EQUAL(thread(&bed, 1)->first_priority, 31);
    CHECK_EQUAL(thread(&bed, 1)->priority, 12);
    CHECK_EQUAL(thread(&bed, 0)->life, 300);
    CHECK_EQUAL(thread(&bed, 0)->ready[READY_WOKEN], 200);
    CHECK_EQUAL(thread(&bed, 0)->ready[READY_STARTED], 100);
    CHECK_EQUAL(accounting_conflicts(&bed.accounting), 0);
    CHECK(accounting_thread(&bed.accounting, 2) == NULL);
    CHECK(accounting_thread(&bed.accounting, UINT32_MAX) == NULL);
    bed_close(&bed);
}

/* Without thread_is, the first switch names the thread that ran before. */
static void test_no_thread_is(void)
{
    struct bed bed;

    bed_open(&bed);
    TRACE_ADD(&bed.trace, 1100, isr_entry, 64);
    TRACE_ADD(&bed.trace, 1150, isr_exit, 64);
    TRACE_ADD(&bed.trace, 1200, thread_switch, 4, 5, WAIT(WAIT_SLEEP));
    bed_finish(&bed, 1300, &no_costs);
    check_states(&bed, 4, 150, 50, 0, 100);
    check_states(&bed, 5, 100, 0, 0, 0);
    CHECK_EQUAL(thread(&bed, 5)->life, 100); /* first event at 1200 */
    CHECK_EQUAL(bed.accounting.unknown, 0);
    bed_close(&bed);
}

/* No event names a thread: handlers are known all the same. */
static void test_no_thread(void)
{
    struct bed bed;

    bed_open(&bed);
    TRACE_ADD(&bed.trace, 1100, isr_entry, 64);
    TRACE_ADD(&bed.trace, 1150, isr_exit, 64);
    bed_finish(&bed, 1300, &costs);
    /* 64: 11 + 40 + 6; the tracer 4 + 10 + 6. */
    CHECK_EQUAL(bed.accounting.vectors[64]->ticks, 57);
    CHECK_EQUAL(bed.accounting.tracer, 20);
    CHECK_EQUAL(bed.accounting.unknown, 300 - 77);
    CHECK_EQUAL(bed.accounting.thread_count, 0);
    bed_close(&bed);
}

/* A packet is lost: unknown until the next switch, except handlers that begin and end after it. */
static void test_gap(void)
{
    struct bed bed;

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1100, isr_entry, 64);
    trace_builder_turn(&bed.trace, 1110, 1120, 0);
    TRACE_ADD(&bed.trace, 1150, mark, 1, 1);
    trace_builder_lose(&bed.trace);
    trace_builder_turn(&bed.trace, 1200, 1210, 0);
    TRACE_ADD(&bed.trace, 1250, isr_exit, 64); /* its entry is before the gap: ignored */
    TRACE_ADD(&bed.trace, 1300, isr_entry, 64);
    TRACE_ADD(&bed.trace, 1320, thread_ready, 1, BY_VECTOR(64));
    TRACE_ADD(&bed.trace, 1330, isr_exit, 64);
    TRACE_ADD(&bed.trace, 1340, thread_switch, 0, 1, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&bed.trace, 1400, thread_switch, 1, 0, WAIT(WAIT_SLEEP));
    bed_finish(&bed, 1500, &no_costs);
    CHECK_EQUAL(bed.accounting.gaps, 1);
    CHECK_EQUAL(bed.accounting.lost_packets, 1);
    CHECK_EQUAL(bed.accounting.discarded, 0);
    CHECK_EQUAL(bed.accounting.unknown, 200); /* 1100-1300 */
    CHECK_EQUAL(bed.accounting.vectors[64]->ticks, 30);
    check_spread(&bed.accounting.vectors[64]->gross, 1, 30, 30, 30);
    CHECK_EQUAL(bed.accounting.dispatch, 10);
    /* 1: to 1100, unknown to 1320, ready to 1340, to 1400, waiting. */
    check_states(&bed, 1, 100 + 60, 0, 20, 100);
    CHECK_EQUAL(thread(&bed, 1)->unknown, 220);
    check_spread(&thread(&bed, 1)->wake, 1, 20, 20, 20);
    /* 0: ready to 1100, unknown to 1340, ready to 1400, running. */
    check_states(&bed, 0, 100, 0, 160, 0);
    CHECK_EQUAL(thread(&bed, 0)->unknown, 240);
    CHECK_EQUAL(accounting_conflicts(&bed.accounting), 0);
    bed_close(&bed);
}

/* What was cut off by a gap does not come back: the wake-up before it, the fault, the DPC. */
static void test_gap_forgets(void)
{
    struct bed bed;

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1040, thread_is, 2, 0, 5, THREAD_WAITING, WAIT_SLEEP);
    TRACE_ADD(&bed.trace, 1050, lock_wait, 9, 2);
    TRACE_ADD(&bed.trace, 1060, isr_entry, 64);
    TRACE_ADD(&bed.trace, 1070, thread_ready, 2, BY_VECTOR(64));
    TRACE_ADD(&bed.trace, 1080, dpc_queue, 1);
    trace_builder_turn(&bed.trace, 1090, 1090, 0);
    trace_builder_lose(&bed.trace);
    trace_builder_turn(&bed.trace, 1100, 1100, 0);
    TRACE_ADD(&bed.trace, 1150, dpc_entry, 1);
    TRACE_ADD(&bed.trace, 1160, dpc_exit, 1);
    TRACE_ADD(&bed.trace, 1200, thread_switch, 1, 2, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&bed.trace, 1220, fault_exit, 0); /* entered before the gap */
    TRACE_ADD(&bed.trace, 1300, thread_switch, 2, 1, WAIT(WAIT_SLEEP));
    TRACE_ADD(&bed.trace, 1350, lock_acquire, 9);
    bed_finish(&bed, 1400, &no_costs);
    CHECK_EQUAL(thread(&bed, 2)->wake.n, 0);
    CHECK_EQUAL(thread(&bed, 2)->wakeups, 1);
    CHECK_EQUAL(bed.accounting.dpcs[1]->queued.n, 0);
    CHECK_EQUAL(bed.accounting.dispatch, 40); /* 1160-1200 */
    CHECK_EQUAL(accounting_lock(&bed.accounting, 9)->wait.n, 0);
    CHECK_EQUAL(accounting_lock(&bed.accounting, 9)->acquired, 1);
    /* 2: waiting 1000-1070, ready to 1080, unknown to 1200, running to 1300, waiting. */
    check_states(&bed, 2, 100, 0, 10, 70 + 100);
    CHECK_EQUAL(thread(&bed, 2)->unknown, 120);
    CHECK_EQUAL(accounting_conflicts(&bed.accounting), 0);
    bed_close(&bed);
}

/* Records that found no room at the end, and those that were overwritten. */
static void test_discarded(void)
{
    struct bed bed;

    bed_open(&bed);
    add_sleep(&bed);
    trace_builder_turn(&bed.trace, 1460, 1460, 0);
    trace_builder_discard(&bed.trace, 77);
    bed_add_part(&bed, 1500, &no_costs);
    bed.bench->traces[0].packets->length = PACKET; /* the packet that counts it was never closed */
    bed.bench->traces[0].claimed = PACKET;
    bed_read(&bed);
    CHECK_EQUAL(bed.accounting.discarded, 77);
    CHECK_EQUAL(bed.accounting.unknown, 50);
    CHECK_EQUAL(thread(&bed, 0)->unknown, 50);
    CHECK_EQUAL(thread(&bed, 1)->unknown, 50);
    CHECK_EQUAL(thread(&bed, 0)->running, 200);
    bed_close(&bed);

    bed_open(&bed);
    add_sleep(&bed);
    trace_builder_overwrite(&bed.trace);
    trace_builder_turn(&bed.trace, 1460, 1460, 0);
    TRACE_ADD(&bed.trace, 1470, thread_switch, 0, 1, STAY(WAIT_PREEMPTED));
    bed_finish(&bed, 1500, &no_costs);
    CHECK_EQUAL(bed.accounting.discarded, 8);
    CHECK_EQUAL(bed.accounting.unknown, 470);
    CHECK_EQUAL(thread(&bed, 1)->running, 30);
    bed_close(&bed);
}

/* Two parts: their times are summed, and nothing is known from one to the other. */
static void test_parts(void)
{
    struct bed bed;

    bed_open(&bed);
    add_sleep(&bed);
    TRACE_ADD(&bed.trace, 1490, isr_entry, 64); /* unfinished when the part ends */
    bed_add_part(&bed, 1500, &no_costs);
    trace_builder_init(&bed.trace, 9000, PACKET);
    TRACE_ADD(&bed.trace, 9010, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&bed.trace, 9020, thread_is, 1, 0, 31, THREAD_WAITING, WAIT_SLEEP);
    TRACE_ADD(&bed.trace, 9100, isr_entry, 64);
    TRACE_ADD(&bed.trace, 9150, thread_ready, 1, BY_VECTOR(64));
    TRACE_ADD(&bed.trace, 9160, isr_exit, 64);
    TRACE_ADD(&bed.trace, 9170, thread_switch, 0, 1, STAY(WAIT_PREEMPTED));
    bed_finish(&bed, 9200, &no_costs);
    CHECK_EQUAL(bed.accounting.elapsed, 500 + 200);
    check_states(&bed, 1, 190 + 30, 0, 50 + 20, 260 + 150);
    check_states(&bed, 0, 250 - 10 + 100, 60 + 10 + 70, 190 + 30, 0);
    CHECK_EQUAL(thread(&bed, 0)->life, 700);
    CHECK_EQUAL(bed.accounting.vectors[64]->ticks, 40 + 10 + 60);
    check_spread(&bed.accounting.vectors[64]->net, 2, 100, 40, 60);
    check_spread(&thread(&bed, 1)->wake, 2, 70, 20, 50);
    CHECK_EQUAL(bed.accounting.unknown, 0);
    CHECK_EQUAL(accounting_conflicts(&bed.accounting), 0);
    bed_close(&bed);
}

/* One that had ended in the part before may be there again in the next. */
static void test_ended_in_part(void)
{
    struct bed bed;

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1100, thread_switch, 1, 0, TRACE_WHY(WAIT_EXIT, THREAD_ENDED));
    bed_add_part(&bed, 1200, &no_costs);
    trace_builder_init(&bed.trace, 2000, PACKET);
    TRACE_ADD(&bed.trace, 2010, thread_is, 1, 0, 31, THREAD_RUNNING, WAIT_NONE);
    bed_finish(&bed, 2100, &no_costs);
    CHECK_EQUAL(thread(&bed, 1)->life, 200);
    CHECK_EQUAL(thread(&bed, 1)->running, 200);
    CHECK_EQUAL(accounting_conflicts(&bed.accounting), 0);
    bed_close(&bed);
}

/* Stamps of more than 27 bits, with wraps of the low ones in idle time. */
static void test_long_time(void)
{
    const uint64_t step = (UINT64_C(1) << 27) * 5 + 77;
    struct bed bed;

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 2000, thread_switch, 1, 0, WAIT(WAIT_SLEEP));
    for (unsigned i = 1; i <= 10; i++) {
        TRACE_ADD(&bed.trace, 2000 + i * step, isr_entry, 64);
        TRACE_ADD(&bed.trace, 2000 + i * step + 10, isr_exit, 64);
    }
    bed_finish(&bed, 2000 + 11 * step, &no_costs);
    CHECK_EQUAL(thread(&bed, 0)->running, 11 * step - 100);
    CHECK_EQUAL(bed.accounting.vectors[64]->ticks, 100);
    bed_close(&bed);
}

static void test_sampling(void)
{
    struct bed bed;

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1100, isr_entry, 64);
    TRACE_ADD(&bed.trace, 1105, timer_expire, 1090);
    TRACE_ADD(&bed.trace, 1110, tick, 1);
    TRACE_ADD(&bed.trace, 1120, isr_exit, 64);
    TRACE_ADD(&bed.trace, 1200, isr_entry, 64);
    TRACE_ADD(&bed.trace, 1205, timer_expire, 1190);
    TRACE_ADD(&bed.trace, 1210, tick, 1);
    TRACE_ADD(&bed.trace, 1215, timer_expire, 1216);
    TRACE_ADD(&bed.trace, 1220, isr_exit, 64);
    TRACE_ADD(&bed.trace, 1230, thread_switch, 1, 0, WAIT(WAIT_SLEEP));
    TRACE_ADD(&bed.trace, 1300, isr_entry, 64);
    TRACE_ADD(&bed.trace, 1310, tick, 0);
    TRACE_ADD(&bed.trace, 1320, isr_exit, 64);
    bed_finish(&bed, 1400, &no_costs);
    CHECK_EQUAL(bed.accounting.clock_ticks, 3);
    CHECK_EQUAL(thread(&bed, 1)->charged, 2);
    CHECK_EQUAL(thread(&bed, 0)->charged, 1);
    check_spread(&bed.accounting.timer_late, 2, 30, 15, 15);
    CHECK_EQUAL(bed.accounting.timers_early, 1);
    bed_close(&bed);
}

/* Thread 2 holds mutex 4, for which 1 waits; a semaphore, 5, has no holder. */
static void test_locks(void)
{
    struct bed bed;

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1030, thread_is, 2, 0, 5, THREAD_READY, WAIT_NONE);
    TRACE_ADD(&bed.trace, 1100, lock_wait, 4, 2);
    TRACE_ADD(&bed.trace, 1110, thread_switch, 1, 2, WAIT(WAIT_MUTEX));
    TRACE_ADD(&bed.trace, 1200, lock_release, 4);
    TRACE_ADD(&bed.trace, 1205, thread_ready, 1, 2);
    TRACE_ADD(&bed.trace, 1210, thread_switch, 2, 1, STAY(WAIT_OVERTAKEN));
    TRACE_ADD(&bed.trace, 1220, lock_acquire, 4);
    TRACE_ADD(&bed.trace, 1230, lock_acquire, 5);
    TRACE_ADD(&bed.trace, 1300, lock_wait, 5, TRACE_NO_HOLDER);
    TRACE_ADD(&bed.trace, 1310, thread_switch, 1, 2, WAIT(WAIT_SEMAPHORE));
    TRACE_ADD(&bed.trace, 1350, lock_release, 5);
    TRACE_ADD(&bed.trace, 1355, thread_ready, 1, 2);
    TRACE_ADD(&bed.trace, 1360, thread_switch, 2, 1, STAY(WAIT_OVERTAKEN));
    TRACE_ADD(&bed.trace, 1365, lock_wait, 5, TRACE_NO_HOLDER); /* somebody took it before */
    TRACE_ADD(&bed.trace, 1385, lock_acquire, 5);
    bed_finish(&bed, 1400, &no_costs);
    const struct account_lock *mutex = accounting_lock(&bed.accounting, 4);
    const struct account_lock *semaphore = accounting_lock(&bed.accounting, 5);

    CHECK(mutex->owned);
    CHECK_EQUAL(mutex->acquired, 1);
    CHECK_EQUAL(mutex->longest_thread, 1);
    CHECK_EQUAL(mutex->longest_at, 1100);
    check_spread(&mutex->wait, 1, 120, 120, 120);
    CHECK(!semaphore->owned);
    CHECK_EQUAL(semaphore->acquired, 2);
    check_spread(&semaphore->wait, 2, 85, 20, 65);
    CHECK_EQUAL(semaphore->longest_at, 1300);
    CHECK(accounting_lock(&bed.accounting, 6) == NULL);
    bed_close(&bed);
}

/* The last event at 1200 contradicts; all after it is unknown, except what it holds itself. */
static void check_conflict(struct bed *bed, enum account_conflict conflict)
{
    bed_finish(bed, 1300, &no_costs);
    CHECK_EQUAL(bed->accounting.conflicts[conflict], 1);
    CHECK_EQUAL(accounting_conflicts(&bed->accounting), 1);
    CHECK(account_conflict_text(conflict) != NULL);
    bed_close(bed);
}

static void test_switch_conflicts(void)
{
    struct bed bed;

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1200, thread_switch, 2, 0, WAIT(WAIT_SLEEP));
    check_conflict(&bed, CONFLICT_SWITCH_OLD);

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1030, thread_is, 2, 0, 0, THREAD_WAITING, WAIT_SLEEP);
    TRACE_ADD(&bed.trace, 1200, thread_switch, 1, 2, WAIT(WAIT_SLEEP));
    check_conflict(&bed, CONFLICT_SWITCH_NEW);

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1030, thread_switch, 1, 0, TRACE_WHY(WAIT_EXIT, THREAD_ENDED));
    TRACE_ADD(&bed.trace, 1200, thread_switch, 0, 1, WAIT(WAIT_SLEEP));
    check_conflict(&bed, CONFLICT_SWITCH_NEW);

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1100, isr_entry, 64);
    TRACE_ADD(&bed.trace, 1200, thread_switch, 1, 0, WAIT(WAIT_SLEEP));
    check_conflict(&bed, CONFLICT_SWITCH_HANDLER);
}

static void test_handler_conflicts(void)
{
    struct bed bed;

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1100, isr_entry, 64);
    TRACE_ADD(&bed.trace, 1200, isr_exit, 65);
    check_conflict(&bed, CONFLICT_EXIT);

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1200, isr_exit, 65);
    check_conflict(&bed, CONFLICT_EXIT);

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1100, isr_entry, 3);
    TRACE_ADD(&bed.trace, 1200, dpc_exit, 3);
    check_conflict(&bed, CONFLICT_EXIT);

    bed_open(&bed);
    add_two_threads(&bed);
    for (unsigned i = 0; i < 65; i++) {
        TRACE_ADD(&bed.trace, 1100, isr_entry, 65);
    }
    check_conflict(&bed, CONFLICT_DEPTH);

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1100, isr_entry, 64);
    TRACE_ADD(&bed.trace, 1200, dpc_entry, 64);
    check_conflict(&bed, CONFLICT_DPC);
}

static void test_state_conflicts(void)
{
    struct bed bed;

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1200, thread_ready, 0, 1);
    check_conflict(&bed, CONFLICT_READY);

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1200, thread_is, 0, 0, 0, THREAD_WAITING, WAIT_SLEEP);
    check_conflict(&bed, CONFLICT_STATE);

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1200, thread_is, 2, 0, 0, THREAD_RUNNING, WAIT_NONE);
    check_conflict(&bed, CONFLICT_STATE);

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1200, thread_start, 1, 0, 0);
    check_conflict(&bed, CONFLICT_START);

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1200, fault_exit, 0);
    check_conflict(&bed, CONFLICT_FAULT);

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1100, fault_entry, 0, 0);
    TRACE_ADD(&bed.trace, 1200, fault_entry, 0, 0);
    check_conflict(&bed, CONFLICT_FAULT);

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1200, tick, 0);
    check_conflict(&bed, CONFLICT_TICK);
}

/* What a conflict leaves: unknown until the next switch. */
static void test_conflict_is_unknown(void)
{
    struct bed bed;

    bed_open(&bed);
    add_two_threads(&bed);
    TRACE_ADD(&bed.trace, 1100, tick, 0);
    TRACE_ADD(&bed.trace, 1200, thread_switch, 5, 0, WAIT(WAIT_SLEEP)); /* no further conflict */
    bed_finish(&bed, 1300, &no_costs);
    CHECK_EQUAL(accounting_conflicts(&bed.accounting), 1);
    CHECK_EQUAL(bed.accounting.unknown, 100);
    CHECK_EQUAL(thread(&bed, 1)->running, 100);
    CHECK_EQUAL(thread(&bed, 1)->unknown, 200);
    CHECK_EQUAL(thread(&bed, 0)->running, 100);
    bed_close(&bed);
}

static void test_names(void)
{
    char text[ACCOUNT_NAME_MAX];

    for (uint32_t i = 0; i < WAIT_REASONS; i++) {
        CHECK(strncmp(account_reason_name(i, text), "reason ", 7) != 0);
    }
    CHECK_TEXT(account_reason_name(31, text), "reason 31");
    CHECK_TEXT(account_reason_name(WAIT_MUTEX, text), "mutex");
}

int main(void)
{
    RUN(test_without_costs());
    RUN(test_costs());
    RUN(test_trail());
    RUN(test_nesting());
    RUN(test_nesting_costs());
    RUN(test_dpcs());
    RUN(test_dpc_trail());
    RUN(test_not_dispatch());
    RUN(test_records());
    RUN(test_extended_trail());
    RUN(test_long_lead());
    RUN(test_short_spans());
    RUN(test_faults());
    RUN(test_states());
    RUN(test_descriptions());
    RUN(test_no_thread_is());
    RUN(test_no_thread());
    RUN(test_gap());
    RUN(test_gap_forgets());
    RUN(test_discarded());
    RUN(test_parts());
    RUN(test_ended_in_part());
    RUN(test_long_time());
    RUN(test_sampling());
    RUN(test_locks());
    RUN(test_switch_conflicts());
    RUN(test_handler_conflicts());
    RUN(test_state_conflicts());
    RUN(test_conflict_is_unknown());
    RUN(test_names());
    return unit_finish("unit_accounting");
}
