/* SPDX-License-Identifier: BSD-2-Clause */
/* Who delayed a thread, link by link, in traces made by hand. */
#include "tools/trace/delays.h"

#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"

#define PACKET 8192
#define BEGIN  1000
#define TARGET 2 /* the thread that is delayed, of priority 10 */

#define WAIT(reason)  TRACE_WHY(reason, THREAD_WAITING)
#define STAY(reason)  TRACE_WHY(reason, THREAD_READY)
#define BY_VECTOR(id) TRACE_BY(TRACE_BY_VECTOR, id)

/* What a test has at hand. */
struct bed {
    struct run run;
    struct run_bench *bench;
    struct trace_builder trace;
    struct run_trace_costs costs;
    struct delays delays;
};

/* Threads 0 idle, TARGET and 5 of priority 10, 3 of 20, 4 of 5; `running` is. */
static void bed_open(struct bed *bed, unsigned running)
{
    static const unsigned priorities[] = {0, 31, 10, 20, 5, 10};

    memset(bed, 0, sizeof(*bed));
    run_init(&bed->run);
    bed->bench = build_bench(&bed->run, "b", 1);
    trace_builder_init(&bed->trace, BEGIN, PACKET);
    for (unsigned i = 0; i < 6; i++) {
        TRACE_ADD(&bed->trace, BEGIN, thread_is, i, 0, priorities[i],
                  i == running ? THREAD_RUNNING
                  : i == 0     ? THREAD_READY
                               : THREAD_WAITING,
                  i == running || i == 0 ? WAIT_NONE : WAIT_SLEEP);
    }
}

static void bed_finish(struct bed *bed, uint64_t end, size_t wanted)
{
    struct accounting accounting;

    trace_builder_finish(&bed->trace, end, bed->bench)->costs = bed->costs;
    delays_init(&bed->delays, TARGET, wanted);
    const struct account_observer observer = delays_observer(&bed->delays);

    CHECK(accounting_read(&accounting, bed->bench, &observer, 1));
    CHECK_EQUAL(accounting_conflicts(&accounting), 0);
    accounting_free(&accounting);
    for (size_t i = 0; i < bed->delays.count; i++) {
        const struct delay *delay = &bed->delays.slowest[i];
        uint64_t sum = 0;

        for (size_t k = 0; k < delay->link_count; k++) {
            sum += delay->links[k].ticks;
        }
        CHECK_EQUAL(sum, delay->to - delay->from);
    }
}

static void bed_close(struct bed *bed)
{
    delays_free(&bed->delays);
    run_free(&bed->run);
}

static void check_link(const struct delay *delay, size_t index, enum account_kind kind, uint32_t id,
                       enum delay_why why, uint64_t ticks)
{
    CHECK(index < delay->link_count);
    CHECK_EQUAL(delay->links[index].kind, kind);
    CHECK_EQUAL(delay->links[index].id, id);
    CHECK_EQUAL(delay->links[index].why, why);
    CHECK_EQUAL(delay->links[index].ticks, ticks);
}

/*
 * While 4 runs an interrupt wakes 5, then the target, which has the same priority. 5 runs; a second
 * interrupt wakes 3, which has a page fault. Then 5 goes on and waits, and the target runs.
 */
static void add_wakeup(struct bed *bed)
{
    TRACE_ADD(&bed->trace, 1100, isr_entry, 64);
    TRACE_ADD(&bed->trace, 1110, thread_ready, 5, BY_VECTOR(64));
    TRACE_ADD(&bed->trace, 1120, thread_ready, TARGET, BY_VECTOR(64));
    TRACE_ADD(&bed->trace, 1130, isr_exit, 64);
    TRACE_ADD(&bed->trace, 1140, thread_switch, 4, 5, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&bed->trace, 1200, isr_entry, 80);
    TRACE_ADD(&bed->trace, 1205, dpc_queue, 7);
    TRACE_ADD(&bed->trace, 1210, thread_ready, 3, BY_VECTOR(80));
    TRACE_ADD(&bed->trace, 1220, isr_exit, 80);
    TRACE_ADD(&bed->trace, 1225, dpc_entry, 7);
    TRACE_ADD(&bed->trace, 1232, dpc_exit, 7);
    TRACE_ADD(&bed->trace, 1240, thread_switch, 5, 3, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&bed->trace, 1250, fault_entry, 0, 0);
    TRACE_ADD(&bed->trace, 1265, fault_exit, 0);
    TRACE_ADD(&bed->trace, 1300, thread_switch, 3, 5, WAIT(WAIT_SLEEP));
    TRACE_ADD(&bed->trace, 1340, thread_switch, 5, TARGET, WAIT(WAIT_SLEEP));
}

static void test_wakeup(void)
{
    struct bed bed;

    bed_open(&bed, 4);
    add_wakeup(&bed);
    bed_finish(&bed, 1400, 5);
    CHECK_EQUAL(bed.delays.seen, 1);
    CHECK_EQUAL(bed.delays.lock_waits, 0);
    CHECK_EQUAL(bed.delays.cut, 0);
    CHECK_EQUAL(bed.delays.count, 1);
    const struct delay *delay = &bed.delays.slowest[0];

    CHECK_EQUAL(delay->number, 1);
    CHECK_EQUAL(delay->part, 1);
    CHECK_EQUAL(delay->origin, BEGIN);
    CHECK_EQUAL(delay->from, 1120);
    CHECK_EQUAL(delay->to, 1340);
    CHECK(delay->woken && !delay->for_lock && !delay->folded);
    CHECK_EQUAL(delay->by, BY_VECTOR(64));
    check_link(delay, 0, ACCOUNT_VECTOR, 64, DELAY_INTERRUPT, 10);
    check_link(delay, 1, ACCOUNT_DISPATCH, 0, DELAY_DISPATCH, 10);
    check_link(delay, 2, ACCOUNT_THREAD, 5, DELAY_FIRST, 60);
    check_link(delay, 3, ACCOUNT_VECTOR, 80, DELAY_INTERRUPT, 20);
    check_link(delay, 4, ACCOUNT_DISPATCH, 0, DELAY_DISPATCH, 5);
    check_link(delay, 5, ACCOUNT_DPC, 7, DELAY_DEFERRED, 7);
    check_link(delay, 6, ACCOUNT_DISPATCH, 0, DELAY_DISPATCH, 8);
    check_link(delay, 7, ACCOUNT_THREAD, 3, DELAY_HIGHER, 10);
    check_link(delay, 8, ACCOUNT_FAULT, 3, DELAY_HIGHER, 15);
    check_link(delay, 9, ACCOUNT_THREAD, 3, DELAY_HIGHER, 35);
    check_link(delay, 10, ACCOUNT_THREAD, 5, DELAY_FIRST, 40);
    CHECK_EQUAL(delay->link_count, 11);
    bed_close(&bed);
}

/* The same with 4 ticks a record, 1 of them before its stamp: in one link at the end. */
static void test_tracer(void)
{
    struct bed bed;

    bed_open(&bed, 4);
    add_wakeup(&bed);
    bed.costs = (struct run_trace_costs){.record = 4, .lead = 1, .extended = 4};
    bed_finish(&bed, 1400, 5);
    const struct delay *delay = &bed.delays.slowest[0];

    CHECK_EQUAL(delay->link_count, 12);
    check_link(delay, 0, ACCOUNT_VECTOR, 64, DELAY_INTERRUPT, 6);
    check_link(delay, 3, ACCOUNT_VECTOR, 80, DELAY_INTERRUPT, 1 + 1 + 6);
    check_link(delay, 11, ACCOUNT_TRACER, 0, DELAY_TRACER, 13 * 4);
    bed_close(&bed);
}

/* Woken by a thread of lower priority that goes on for a while; then by one raised above it. */
static void test_lower(void)
{
    struct bed bed;

    bed_open(&bed, 4);
    TRACE_ADD(&bed.trace, 1100, thread_ready, TARGET, 4);
    TRACE_ADD(&bed.trace, 1130, thread_switch, 4, TARGET, STAY(WAIT_OVERTAKEN));
    TRACE_ADD(&bed.trace, 1200, thread_switch, TARGET, 4, WAIT(WAIT_SLEEP));
    TRACE_ADD(&bed.trace, 1300, thread_ready, TARGET, 4);
    TRACE_ADD(&bed.trace, 1310, thread_priority, 4, 12); /* raised in between */
    TRACE_ADD(&bed.trace, 1350, thread_switch, 4, TARGET, STAY(WAIT_OVERTAKEN));
    bed_finish(&bed, 1400, 5);
    CHECK_EQUAL(bed.delays.count, 2);
    check_link(&bed.delays.slowest[0], 0, ACCOUNT_THREAD, 4, DELAY_LOWER, 10);
    check_link(&bed.delays.slowest[0], 1, ACCOUNT_THREAD, 4, DELAY_HIGHER, 40);
    check_link(&bed.delays.slowest[1], 0, ACCOUNT_THREAD, 4, DELAY_LOWER, 30);
    CHECK_EQUAL(bed.delays.slowest[0].number, 2);
    CHECK_EQUAL(bed.delays.slowest[1].number, 1);
    bed_close(&bed);
}

/*
 * The target waits for lock 1, which 4 holds. 5, of a priority between the two, preempts 4: an
 * inversion. Then 4 sleeps with the lock, goes on, and hands it on.
 */
static void test_lock(void)
{
    struct bed bed;

    bed_open(&bed, TARGET);
    TRACE_ADD(&bed.trace, 1010, thread_priority, 5, 7);
    TRACE_ADD(&bed.trace, 1020, thread_ready, 4, TARGET);
    TRACE_ADD(&bed.trace, 1100, lock_wait, 1, 4);
    TRACE_ADD(&bed.trace, 1105, thread_switch, TARGET, 4, WAIT(WAIT_MUTEX));
    TRACE_ADD(&bed.trace, 1150, isr_entry, 64);
    TRACE_ADD(&bed.trace, 1155, thread_ready, 5, BY_VECTOR(64));
    TRACE_ADD(&bed.trace, 1160, isr_exit, 64);
    TRACE_ADD(&bed.trace, 1165, thread_switch, 4, 5, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&bed.trace, 1265, thread_switch, 5, 4, WAIT(WAIT_SLEEP));
    TRACE_ADD(&bed.trace, 1280, thread_switch, 4, 0, WAIT(WAIT_SLEEP));
    TRACE_ADD(&bed.trace, 1350, isr_entry, 64);
    TRACE_ADD(&bed.trace, 1355, thread_ready, 4, BY_VECTOR(64));
    TRACE_ADD(&bed.trace, 1360, isr_exit, 64);
    TRACE_ADD(&bed.trace, 1365, thread_switch, 0, 4, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&bed.trace, 1400, lock_release, 1);
    TRACE_ADD(&bed.trace, 1403, thread_ready, TARGET, 4);
    TRACE_ADD(&bed.trace, 1410, thread_switch, 4, TARGET, STAY(WAIT_OVERTAKEN));
    TRACE_ADD(&bed.trace, 1420, lock_acquire, 1);
    bed_finish(&bed, 1500, 5);
    CHECK_EQUAL(bed.delays.seen, 1); /* the wake-up is part of it */
    CHECK_EQUAL(bed.delays.lock_waits, 1);
    const struct delay *delay = &bed.delays.slowest[0];

    CHECK(delay->for_lock && delay->woken);
    CHECK_EQUAL(delay->lock, 1);
    CHECK_EQUAL(delay->holder, 4);
    CHECK_EQUAL(delay->from, 1100);
    CHECK_EQUAL(delay->to, 1410);
    check_link(delay, 0, ACCOUNT_THREAD, TARGET, DELAY_SELF, 5);
    check_link(delay, 1, ACCOUNT_THREAD, 4, DELAY_HOLDS, 45);
    CHECK_EQUAL(delay->links[1].lock, 1);
    check_link(delay, 2, ACCOUNT_VECTOR, 64, DELAY_INTERRUPT, 10);
    check_link(delay, 3, ACCOUNT_DISPATCH, 0, DELAY_DISPATCH, 5);
    check_link(delay, 4, ACCOUNT_THREAD, 5, DELAY_INVERSION, 100);
    check_link(delay, 5, ACCOUNT_THREAD, 4, DELAY_HOLDS, 15);
    check_link(delay, 6, ACCOUNT_THREAD, 0, DELAY_HOLDER_WAITS, 70);
    check_link(delay, 7, ACCOUNT_VECTOR, 64, DELAY_INTERRUPT, 10);
    check_link(delay, 8, ACCOUNT_DISPATCH, 0, DELAY_DISPATCH, 5);
    check_link(delay, 9, ACCOUNT_THREAD, 4, DELAY_HOLDS, 35);
    check_link(delay, 10, ACCOUNT_THREAD, 4, DELAY_HANDS_ON, 3);
    check_link(delay, 11, ACCOUNT_THREAD, 4, DELAY_LOWER, 7);
    CHECK_EQUAL(delay->link_count, 12);
    bed_close(&bed);
}

/* The target waits for lock 1 of 5, which waits for lock 2 of 4: both hold. 3 is above all. */
static void test_lock_chain(void)
{
    struct bed bed;

    bed_open(&bed, 5);
    TRACE_ADD(&bed.trace, 1010, thread_priority, 5, 7);
    TRACE_ADD(&bed.trace, 1020, thread_ready, 4, 5);
    TRACE_ADD(&bed.trace, 1030, thread_ready, TARGET, 5);
    TRACE_ADD(&bed.trace, 1040, lock_wait, 2, 4);
    TRACE_ADD(&bed.trace, 1050, thread_switch, 5, TARGET, WAIT(WAIT_MUTEX));
    TRACE_ADD(&bed.trace, 1100, lock_wait, 1, 5);
    TRACE_ADD(&bed.trace, 1110, thread_switch, TARGET, 4, WAIT(WAIT_MUTEX));
    TRACE_ADD(&bed.trace, 1150, thread_ready, 3, 4);
    TRACE_ADD(&bed.trace, 1160, thread_switch, 4, 3, STAY(WAIT_OVERTAKEN));
    TRACE_ADD(&bed.trace, 1200, thread_switch, 3, 4, WAIT(WAIT_SLEEP));
    TRACE_ADD(&bed.trace, 1250, lock_release, 2);
    TRACE_ADD(&bed.trace, 1251, thread_ready, 5, 4); /* holds lock 2 now */
    TRACE_ADD(&bed.trace, 1260, thread_switch, 4, 5, STAY(WAIT_OVERTAKEN));
    TRACE_ADD(&bed.trace, 1265, lock_acquire, 2);
    TRACE_ADD(&bed.trace, 1300, lock_release, 1);
    TRACE_ADD(&bed.trace, 1302, thread_ready, TARGET, 5);
    TRACE_ADD(&bed.trace, 1310, thread_switch, 5, TARGET, STAY(WAIT_OVERTAKEN));
    bed_finish(&bed, 1400, 5);
    CHECK_EQUAL(bed.delays.seen, 2);
    const struct delay *delay = &bed.delays.slowest[0];

    check_link(delay, 0, ACCOUNT_THREAD, TARGET, DELAY_SELF, 10);
    check_link(delay, 1, ACCOUNT_THREAD, 4, DELAY_HOLDS, 50);
    CHECK_EQUAL(delay->links[1].lock, 2);
    check_link(delay, 2, ACCOUNT_THREAD, 3, DELAY_HIGHER, 40);
    check_link(delay, 3, ACCOUNT_THREAD, 4, DELAY_HOLDS, 50);
    check_link(delay, 4, ACCOUNT_THREAD, 4, DELAY_HANDS_ON, 1);
    CHECK_EQUAL(delay->links[4].lock, 2);
    check_link(delay, 5, ACCOUNT_THREAD, 4, DELAY_LOWER, 9);
    check_link(delay, 6, ACCOUNT_THREAD, 5, DELAY_HOLDS, 40);
    CHECK_EQUAL(delay->links[6].lock, 1);
    check_link(delay, 7, ACCOUNT_THREAD, 5, DELAY_HANDS_ON, 2);
    check_link(delay, 8, ACCOUNT_THREAD, 5, DELAY_LOWER, 8);
    bed_close(&bed);
}

/* A wait for a lock without a holder is no delay by a thread: only the wake-up counts. A lock
 * that is free after all, without leaving the processor, is a delay that ends with it. */
static void test_other_locks(void)
{
    struct bed bed;

    bed_open(&bed, TARGET);
    TRACE_ADD(&bed.trace, 1010, thread_ready, 4, TARGET);
    TRACE_ADD(&bed.trace, 1100, lock_wait, 1, TRACE_NO_HOLDER);
    TRACE_ADD(&bed.trace, 1110, thread_switch, TARGET, 4, WAIT(WAIT_SEMAPHORE));
    TRACE_ADD(&bed.trace, 1200, lock_release, 1);
    TRACE_ADD(&bed.trace, 1205, thread_ready, TARGET, 4);
    TRACE_ADD(&bed.trace, 1220, thread_switch, 4, TARGET, STAY(WAIT_OVERTAKEN));
    TRACE_ADD(&bed.trace, 1230, lock_acquire, 1);
    TRACE_ADD(&bed.trace, 1300, lock_wait, 2, 4);
    TRACE_ADD(&bed.trace, 1330, lock_acquire, 2);
    bed_finish(&bed, 1400, 5);
    CHECK_EQUAL(bed.delays.seen, 2);
    CHECK_EQUAL(bed.delays.lock_waits, 1);
    check_link(&bed.delays.slowest[0], 0, ACCOUNT_THREAD, TARGET, DELAY_SELF, 30);
    check_link(&bed.delays.slowest[1], 0, ACCOUNT_THREAD, 4, DELAY_LOWER, 15);
    bed_close(&bed);
}

/* Wake-ups of 10, 30, 20, 30 and 5 ticks. */
static void test_slowest(void)
{
    static const uint64_t lengths[] = {10, 30, 20, 30, 5};
    struct bed bed;

    bed_open(&bed, 4);
    for (unsigned i = 0; i < 5; i++) {
        const uint64_t at = 1100 + 100 * i;

        TRACE_ADD(&bed.trace, at, thread_ready, TARGET, 4);
        TRACE_ADD(&bed.trace, at + lengths[i], thread_switch, 4, TARGET, STAY(WAIT_OVERTAKEN));
        TRACE_ADD(&bed.trace, at + 50, thread_switch, TARGET, 4, WAIT(WAIT_SLEEP));
    }
    bed_finish(&bed, 2000, 3);
    CHECK_EQUAL(bed.delays.seen, 5);
    CHECK_EQUAL(bed.delays.count, 3);
    CHECK_EQUAL(bed.delays.slowest[0].number, 2);
    CHECK_EQUAL(bed.delays.slowest[1].number, 4);
    CHECK_EQUAL(bed.delays.slowest[2].number, 3);
    bed_close(&bed);
}

/* A gap, and the end of the trace, cut delays that were under way. */
static void test_cut(void)
{
    struct bed bed;

    bed_open(&bed, 4);
    TRACE_ADD(&bed.trace, 1100, thread_ready, TARGET, 4);
    trace_builder_turn(&bed.trace, 1110, 1110, 0);
    trace_builder_lose(&bed.trace);
    trace_builder_turn(&bed.trace, 1120, 1120, 0);
    TRACE_ADD(&bed.trace, 1150, thread_switch, 4, TARGET, STAY(WAIT_OVERTAKEN));
    TRACE_ADD(&bed.trace, 1200, thread_switch, TARGET, 4, WAIT(WAIT_SLEEP));
    TRACE_ADD(&bed.trace, 1300, thread_ready, TARGET, 4);
    bed_finish(&bed, 1400, 3);
    CHECK_EQUAL(bed.delays.seen, 0);
    CHECK_EQUAL(bed.delays.count, 0);
    CHECK_EQUAL(bed.delays.cut, 2);
    bed_close(&bed);
}

/* 3 and 5 take turns more often than a chain has room for: what comes then is added to what is
 * there, and 1 and 4, which only come then, to the others. */
static void test_long_chain(void)
{
    struct bed bed;
    uint64_t at = 1100;

    bed_open(&bed, 5);
    TRACE_ADD(&bed.trace, 1050, thread_ready, 1, 5);
    TRACE_ADD(&bed.trace, 1060, thread_ready, 3, 5);
    TRACE_ADD(&bed.trace, 1070, thread_ready, 4, 5);
    TRACE_ADD(&bed.trace, at, thread_ready, TARGET, 5);
    for (unsigned i = 0; i < 100; i++, at += 10) {
        TRACE_ADD(&bed.trace, at + 10, thread_switch, i % 2 == 0 ? 5 : 3, i % 2 == 0 ? 3 : 5,
                  STAY(WAIT_YIELD));
    }
    TRACE_ADD(&bed.trace, at + 10, thread_switch, 5, 1, STAY(WAIT_YIELD));
    TRACE_ADD(&bed.trace, at + 20, thread_switch, 1, 4, WAIT(WAIT_SLEEP));
    TRACE_ADD(&bed.trace, at + 27, thread_switch, 4, TARGET, WAIT(WAIT_SLEEP));
    bed_finish(&bed, at + 100, 3);
    const struct delay *delay = &bed.delays.slowest[0];

    CHECK(delay->folded);
    CHECK_EQUAL(delay->to - delay->from, at + 27 - 1100);
    CHECK_EQUAL(delay->link_count, DELAY_LINKS_MAX - 1);
    check_link(delay, 0, ACCOUNT_THREAD, 5, DELAY_FIRST, 10);
    /* Of 101 turns 64 have links of their own; of the others 19 are of 5. */
    check_link(delay, 62, ACCOUNT_THREAD, 5, DELAY_FIRST, 10 + 190);
    check_link(delay, 63, ACCOUNT_THREAD, 3, DELAY_HIGHER, 10 + 180);
    check_link(delay, 64, ACCOUNT_KINDS, 0, DELAY_OTHERS, 10 + 7);
    bed_close(&bed);
}

/* The trace of a second processor, which is idle. */
static void bed_second(struct bed *bed, struct trace_builder *second)
{
    trace_builder_init(second, BEGIN, PACKET);
    second->cpu = 1;
    second->part = bed->trace.part = 1;
    TRACE_ADD(second, BEGIN, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
}

static void bed_finish_both(struct bed *bed, struct trace_builder *second, uint64_t end)
{
    struct accounting accounting;

    trace_builder_finish(&bed->trace, end, bed->bench);
    trace_builder_finish(second, end, bed->bench);
    delays_init(&bed->delays, TARGET, 2);
    const struct account_observer observer = delays_observer(&bed->delays);

    CHECK(accounting_read(&accounting, bed->bench, &observer, 1));
    CHECK_EQUAL(accounting_conflicts(&accounting), 0);
    accounting_free(&accounting);
    CHECK_EQUAL(bed->delays.count, 1);
}

/* The link is of this processor. */
static void check_link_on(const struct delay *delay, size_t index, uint32_t cpu, uint32_t id,
                          enum account_kind kind, enum delay_why why, uint64_t ticks)
{
    check_link(delay, index, kind, id, why, ticks);
    CHECK_EQUAL(delay->links[index].cpu, cpu + 1);
}

/* 3 wakes the target, which moves to the other processor; that is idle, and interrupted. */
static void test_other_processor(void)
{
    struct trace_builder second;
    struct bed bed;

    bed_open(&bed, 3);
    bed_second(&bed, &second);
    TRACE_ADD(&bed.trace, 1100, thread_ready, TARGET, 3);
    TRACE_ADD(&bed.trace, 1110, thread_migrate, TARGET, 0, 1);
    TRACE_ADD(&bed.trace, 1112, ipi, 1, IPI_RESCHEDULE);
    TRACE_ADD(&second, 1130, isr_entry, 240);
    TRACE_ADD(&second, 1140, isr_exit, 240);
    TRACE_ADD(&second, 1155, thread_switch, 0, TARGET, STAY(WAIT_PREEMPTED));
    bed_finish_both(&bed, &second, 2000);
    const struct delay *delay = &bed.delays.slowest[0];

    CHECK_EQUAL(delay->link_count, 4);
    check_link_on(delay, 0, 0, 3, ACCOUNT_THREAD, DELAY_HIGHER, 10);
    check_link_on(delay, 1, 1, 0, ACCOUNT_THREAD, DELAY_IPI, 20);
    check_link_on(delay, 2, 1, 240, ACCOUNT_VECTOR, DELAY_INTERRUPT, 10);
    check_link_on(delay, 3, 1, 0, ACCOUNT_DISPATCH, DELAY_DISPATCH, 15);
    bed_close(&bed);
}

/* The target waits behind an equal on the other processor, until 0 takes it from there. */
static void test_stolen(void)
{
    struct trace_builder second;
    struct bed bed;

    bed_open(&bed, 3);
    bed_second(&bed, &second);
    TRACE_ADD(&bed.trace, 1050, thread_ready, 5, 3);
    TRACE_ADD(&bed.trace, 1050, thread_migrate, 5, 0, 1);
    TRACE_ADD(&second, 1060, thread_switch, 0, 5, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&bed.trace, 1100, thread_ready, TARGET, 3);
    TRACE_ADD(&bed.trace, 1100, thread_migrate, TARGET, 0, 1);
    TRACE_ADD(&second, 1200, quantum, 5, 0);
    TRACE_ADD(&bed.trace, 1300, thread_switch, 3, 0, WAIT(WAIT_SLEEP));
    TRACE_ADD(&bed.trace, 1310, thread_migrate, TARGET, 1, 0);
    TRACE_ADD(&bed.trace, 1330, thread_switch, 0, TARGET, STAY(WAIT_PREEMPTED));
    bed_finish_both(&bed, &second, 2000);
    const struct delay *delay = &bed.delays.slowest[0];

    CHECK_EQUAL(delay->link_count, 3);
    /* no quantum had ended before */
    check_link_on(delay, 0, 1, 5, ACCOUNT_THREAD, DELAY_FIRST, 100);
    check_link_on(delay, 1, 1, 5, ACCOUNT_THREAD, DELAY_QUANTUM, 110);
    check_link_on(delay, 2, 0, 0, ACCOUNT_THREAD, DELAY_LOWER, 20);
    bed_close(&bed);
}

/* 5 holds the lock on the other processor, and hands it on. */
static void test_lock_elsewhere(void)
{
    struct trace_builder second;
    struct bed bed;

    bed_open(&bed, TARGET);
    bed_second(&bed, &second);
    TRACE_ADD(&second, 1010, thread_ready, 5, BY_VECTOR(64));
    TRACE_ADD(&second, 1020, thread_switch, 0, 5, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&second, 1030, lock_acquire, 9);
    TRACE_ADD(&bed.trace, 1100, lock_wait, 9, 5);
    TRACE_ADD(&bed.trace, 1110, thread_switch, TARGET, 0, WAIT(WAIT_MUTEX));
    TRACE_ADD(&second, 1200, lock_release, 9);
    TRACE_ADD(&second, 1205, thread_ready, TARGET, 5);
    TRACE_ADD(&second, 1207, ipi, 0, IPI_RESCHEDULE);
    TRACE_ADD(&bed.trace, 1220, isr_entry, 240);
    TRACE_ADD(&bed.trace, 1225, isr_exit, 240);
    TRACE_ADD(&bed.trace, 1240, thread_switch, 0, TARGET, STAY(WAIT_PREEMPTED));
    bed_finish_both(&bed, &second, 2000);
    const struct delay *delay = &bed.delays.slowest[0];

    CHECK_EQUAL(delay->link_count, 6);
    check_link_on(delay, 0, 0, TARGET, ACCOUNT_THREAD, DELAY_SELF, 10);
    check_link_on(delay, 1, 1, 5, ACCOUNT_THREAD, DELAY_HOLDS, 90);
    check_link_on(delay, 2, 1, 5, ACCOUNT_THREAD, DELAY_HANDS_ON, 5);
    check_link_on(delay, 3, 0, 0, ACCOUNT_THREAD, DELAY_IPI, 15);
    check_link_on(delay, 4, 0, 240, ACCOUNT_VECTOR, DELAY_INTERRUPT, 5);
    check_link_on(delay, 5, 0, 0, ACCOUNT_DISPATCH, DELAY_DISPATCH, 15);
    bed_close(&bed);
}

int main(void)
{
    RUN(test_wakeup());
    RUN(test_tracer());
    RUN(test_lower());
    RUN(test_lock());
    RUN(test_lock_chain());
    RUN(test_other_locks());
    RUN(test_slowest());
    RUN(test_cut());
    RUN(test_long_chain());
    RUN(test_other_processor());
    RUN(test_stolen());
    RUN(test_lock_elsewhere());
    return unit_finish("unit_delays");
}
