/* SPDX-License-Identifier: BSD-2-Clause */
/* Event-driven accounting of several processors, against sums made by hand. */
#include "tools/trace/accounting.h"

#include <stdlib.h>

#include "kernel/run/names.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/trace/account_check.h"

#define PACKET 4096
#define BEGIN  1000
#define CPUS   4

#define WAIT(reason) TRACE_WHY(reason, THREAD_WAITING)
#define STAY(reason) TRACE_WHY(reason, THREAD_READY)

/* What a test has at hand. */
struct bed {
    struct run run;
    struct run_bench *bench;
    struct trace_builder on[CPUS];
    size_t cpus;
    struct accounting accounting;
};

/* Idle threads run on all processors but 0, on which thread 1 runs. Threads 2 and 3 wait. */
static void bed_open(struct bed *bed, size_t cpus)
{
    memset(bed, 0, sizeof(*bed));
    run_init(&bed->run);
    bed->bench = build_bench(&bed->run, "b", 1);
    bed->cpus = cpus;
    for (uint32_t i = 0; i < cpus; i++) {
        trace_builder_init(&bed->on[i], BEGIN, PACKET);
        bed->on[i].cpu = i;
        bed->on[i].part = 1;
        TRACE_ADD(&bed->on[i], BEGIN, thread_is, 0, 0, 0, i > 0 ? THREAD_RUNNING : THREAD_READY,
                  WAIT_NONE);
    }
    TRACE_ADD(&bed->on[0], BEGIN, thread_is, 1, 0, 31, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&bed->on[0], BEGIN, thread_is, 2, 0, 10, THREAD_WAITING, WAIT_MUTEX);
    TRACE_ADD(&bed->on[0], BEGIN, thread_is, 3, 0, 10, THREAD_WAITING, WAIT_MUTEX);
}

/* The accounts of each processor add up, those of all do, and so do the states of each thread. */
static void check_books(const struct accounting *accounting)
{
    uint64_t total = 0;

    for (size_t i = 0; i < accounting->cpu_count; i++) {
        const struct account_cpu *cpu = &accounting->cpus[i];
        uint64_t sum = 0;

        for (size_t k = 0; k < ACCOUNT_KINDS; k++) {
            sum += cpu->ticks[k];
        }
        CHECK_EQUAL(sum, cpu->elapsed);
        total += sum;
    }
    CHECK_EQUAL(total, accounting->total);
    CHECK_EQUAL(accounting_sum(accounting), accounting->total);
    for (size_t i = 0; i < accounting->thread_count; i++) {
        const struct account_thread *thread = accounting->threads[i];
        uint64_t running = 0;

        for (size_t k = 0; k < accounting->cpu_count; k++) {
            running += thread->on[k].ticks;
        }
        CHECK_EQUAL(running, thread->running);
        CHECK_EQUAL(thread->running + thread->interrupted + thread->fault +
                        account_ready_ticks(thread) + account_waiting_ticks(thread) +
                        thread->unknown,
                    thread->life);
    }
}

static void bed_finish(struct bed *bed, uint64_t end)
{
    for (size_t i = 0; i < bed->cpus; i++) {
        trace_builder_finish(&bed->on[i], end, bed->bench);
    }
    CHECK(accounting_read(&bed->accounting, bed->bench, NULL, 0));
    CHECK_EQUAL(bed->accounting.cpu_count, bed->cpus);
    check_books(&bed->accounting);
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

static const struct account_cpu *cpu(const struct bed *bed, size_t at)
{
    return &bed->accounting.cpus[at];
}

/* Only this conflict was found. */
static void check_conflict(const struct bed *bed, enum account_conflict conflict)
{
    CHECK_EQUAL(bed->accounting.conflicts[conflict], 1);
    CHECK_EQUAL(accounting_conflicts(&bed->accounting), 1);
}

/* Thread 1 wakes 2, which another processor takes after an interrupt of it; 2 preempts no thread.
 * Two runs 1150-1400 and sleeps. */
static void add_wake(struct bed *bed)
{
    TRACE_ADD(&bed->on[0], 1100, thread_ready, 2, TRACE_BY(TRACE_BY_THREAD, 1));
    TRACE_ADD(&bed->on[0], 1101, thread_migrate, 2, 0, 1);
    TRACE_ADD(&bed->on[0], 1102, ipi, 1, IPI_RESCHEDULE);
    TRACE_ADD(&bed->on[1], 1120, isr_entry, 240);
    TRACE_ADD(&bed->on[1], 1130, isr_exit, 240);
    TRACE_ADD(&bed->on[1], 1150, thread_switch, 0, 2, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&bed->on[1], 1400, thread_switch, 2, 0, WAIT(WAIT_SLEEP));
}

static void test_wake(void)
{
    struct bed bed;

    bed_open(&bed, 2);
    add_wake(&bed);
    bed_finish(&bed, 2000);
    CHECK_EQUAL(accounting_conflicts(&bed.accounting), 0);
    CHECK_EQUAL(bed.accounting.elapsed, 1000);
    CHECK_EQUAL(bed.accounting.total, 2000);
    CHECK_EQUAL(cpu(&bed, 0)->ticks[ACCOUNT_THREAD], 1000);
    CHECK_EQUAL(cpu(&bed, 0)->idle, 0);
    CHECK_EQUAL(cpu(&bed, 0)->ipis, 1);
    CHECK_EQUAL(cpu(&bed, 1)->idle, 120 + 600);
    CHECK_EQUAL(cpu(&bed, 1)->ticks[ACCOUNT_THREAD], 120 + 600 + 250);
    CHECK_EQUAL(cpu(&bed, 1)->ticks[ACCOUNT_VECTOR], 10);
    CHECK_EQUAL(cpu(&bed, 1)->ticks[ACCOUNT_DISPATCH], 20);
    CHECK_EQUAL(account_busy_ticks(cpu(&bed, 1)), 280);
    CHECK_EQUAL(cpu(&bed, 1)->migrations, 1);
    CHECK_EQUAL(cpu(&bed, 1)->switches, 2);
    CHECK_EQUAL(thread(&bed, 2)->running, 250);
    CHECK_EQUAL(thread(&bed, 2)->on[1].ticks, 250);
    CHECK_EQUAL(thread(&bed, 2)->waiting[WAIT_MUTEX], 100);
    CHECK_EQUAL(thread(&bed, 2)->waiting[WAIT_SLEEP], 600);
    CHECK_EQUAL(thread(&bed, 2)->ready[READY_WOKEN], 50);
    CHECK_EQUAL(thread(&bed, 2)->wake.max, 50);
    CHECK_EQUAL(thread(&bed, 2)->migrations, 1);
    CHECK_EQUAL(thread(&bed, 2)->wakers[0].by, 1);
    CHECK_EQUAL(thread(&bed, 2)->wakers[0].n, 1);
    CHECK_EQUAL(thread(&bed, 0)->running, 720); /* of both idle threads */
    bed_close(&bed);
}

/* Two hogs change at the ends of their quanta; ready times equal the quantum. */
static void test_quantum(void)
{
    struct bed bed;

    bed_open(&bed, 3);
    TRACE_ADD(&bed.on[0], 1000, thread_ready, 2, TRACE_BY(TRACE_BY_THREAD, 1));
    TRACE_ADD(&bed.on[0], 1000, thread_ready, 3, TRACE_BY(TRACE_BY_THREAD, 1));
    TRACE_ADD(&bed.on[2], 1010, thread_switch, 0, 2, STAY(WAIT_PREEMPTED));
    for (unsigned i = 0; i < 6; i++) {
        const unsigned runs = 2 + i % 2;

        TRACE_ADD(&bed.on[2], 1110 + 100 * i, quantum, runs, 0);
        TRACE_ADD(&bed.on[2], 1110 + 100 * i, thread_switch, runs, 5 - runs, STAY(WAIT_QUANTUM));
    }
    TRACE_ADD(&bed.on[2], 1650, tick, 2);
    bed_finish(&bed, 1710);
    CHECK_EQUAL(accounting_conflicts(&bed.accounting), 0);
    CHECK_EQUAL(thread(&bed, 2)->ready[READY_QUANTUM], 300);
    CHECK_EQUAL(thread(&bed, 3)->ready[READY_QUANTUM], 300);
    CHECK_EQUAL(thread(&bed, 2)->quantum_ends, 3);
    CHECK_EQUAL(cpu(&bed, 2)->quantum_ends, 6);
    CHECK_EQUAL(cpu(&bed, 2)->clock_ticks, 1);
    CHECK_EQUAL(thread(&bed, 2)->on[2].charged, 1);
    CHECK_EQUAL(cpu(&bed, 1)->idle, 710);
    bed_close(&bed);
}

/* A record in the trace of the wrong processor. */
static void test_wrong_processor(void)
{
    struct bed bed;

    bed_open(&bed, 2);
    add_wake(&bed);
    TRACE_ADD(&bed.on[0], 1500, thread_switch, 0, 3, STAY(WAIT_PREEMPTED));
    bed_finish(&bed, 2000);
    check_conflict(&bed, CONFLICT_SWITCH_OLD);
    bed_close(&bed);
}

/* The quantum is that of the thread that comes next. */
static void test_wrong_quantum(void)
{
    struct bed bed;

    bed_open(&bed, 2);
    add_wake(&bed);
    TRACE_ADD(&bed.on[1], 1500, quantum, 2, 0);
    bed_finish(&bed, 2000);
    check_conflict(&bed, CONFLICT_QUANTUM);
    bed_close(&bed);
}

/* Thread 1 is switched in on processor 1 while it runs on 0. The time of processor 0 is unknown
 * from there on, and the thread's states still add up. */
static void test_twice(void)
{
    struct bed bed;

    bed_open(&bed, 2);
    add_wake(&bed);
    TRACE_ADD(&bed.on[1], 1500, thread_switch, 0, 1, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&bed.on[0], 1600, thread_switch, 1, 0, WAIT(WAIT_SLEEP));
    bed_finish(&bed, 2000);
    check_conflict(&bed, CONFLICT_TWICE);
    CHECK_EQUAL(thread(&bed, 1)->on[0].ticks, 500);
    CHECK_EQUAL(thread(&bed, 1)->on[1].ticks, 500);
    CHECK_EQUAL(cpu(&bed, 0)->ticks[ACCOUNT_UNKNOWN], 100);
    CHECK_TEXT(account_conflict_text(CONFLICT_TWICE),
               "a switch to a thread that runs on another processor");
    bed_close(&bed);
}

/* Thread 2 ran on processor 1 and then runs on 0, and nothing says that it moved, or it moves from
 * where it is not. */
static void test_unmoved(void)
{
    for (int moves = 0; moves < 3; moves++) {
        struct bed bed;

        bed_open(&bed, 2);
        add_wake(&bed);
        TRACE_ADD(&bed.on[0], 1500, thread_ready, 2, TRACE_BY(TRACE_BY_THREAD, 1));
        if (moves > 0) {
            TRACE_ADD(&bed.on[0], 1500, thread_migrate, 2, moves == 2, 0);
        }
        TRACE_ADD(&bed.on[0], 1510, thread_switch, 1, 2, WAIT(WAIT_SLEEP));
        bed_finish(&bed, 2000);
        if (moves < 2) {
            check_conflict(&bed, moves == 0 ? CONFLICT_UNMOVED : CONFLICT_MOVE);
        } else {
            CHECK_EQUAL(accounting_conflicts(&bed.accounting), 0);
        }
        bed_close(&bed);
    }
}

/* A running thread moves before it leaves its processor. */
static void test_moved_running(void)
{
    struct bed bed;

    bed_open(&bed, 2);
    add_wake(&bed);
    TRACE_ADD(&bed.on[0], 1500, thread_ready, 3, TRACE_BY(TRACE_BY_THREAD, 1));
    TRACE_ADD(&bed.on[0], 1510, thread_migrate, 1, 0, 1);
    TRACE_ADD(&bed.on[0], 1520, thread_switch, 1, 3, STAY(WAIT_OVERTAKEN));
    TRACE_ADD(&bed.on[1], 1530, thread_switch, 0, 1, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&bed.on[1], 1540, thread_migrate, 1, 1, 0);
    TRACE_ADD(&bed.on[1], 1550, thread_switch, 1, 0, WAIT(WAIT_SLEEP));
    bed_finish(&bed, 2000);
    CHECK_EQUAL(accounting_conflicts(&bed.accounting), 0);
    CHECK_EQUAL(thread(&bed, 1)->migrations, 2);
    CHECK_EQUAL(thread(&bed, 1)->on[1].ticks, 20);
    bed_close(&bed);
}

/* Records of processor 1 are missing from 1130 to 1500. Its time is unknown until its next switch,
 * that of processor 0 is known. What a thread did meanwhile is unknown, and no contradiction. */
static void test_hole(void)
{
    struct bed bed;

    bed_open(&bed, 2);
    TRACE_ADD(&bed.on[1], 1120, isr_entry, 240);
    TRACE_ADD(&bed.on[1], 1130, isr_exit, 240);
    trace_builder_turn(&bed.on[1], 1130, 1500, 0);
    bed.on[1].discarded = 7;
    TRACE_ADD(&bed.on[1], 1600, thread_switch, 0, 3, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&bed.on[1], 1700, thread_switch, 3, 0, WAIT(WAIT_SLEEP));
    TRACE_ADD(&bed.on[0], 1200, thread_ready, 3, TRACE_BY(TRACE_BY_THREAD, 1));
    TRACE_ADD(&bed.on[0], 1300, thread_switch, 1, 0, WAIT(WAIT_MUTEX));
    /* woken by processor 1 in its hole */
    TRACE_ADD(&bed.on[0], 1450, thread_switch, 0, 1, STAY(WAIT_PREEMPTED));
    bed_finish(&bed, 2000);
    CHECK_EQUAL(accounting_conflicts(&bed.accounting), 0);
    CHECK_EQUAL(bed.accounting.gaps, 1);
    CHECK_EQUAL(bed.accounting.unknown, 470);
    CHECK_EQUAL(cpu(&bed, 0)->ticks[ACCOUNT_UNKNOWN], 0);
    CHECK_EQUAL(cpu(&bed, 1)->ticks[ACCOUNT_UNKNOWN], 470); /* 1130 to 1600 */
    CHECK_EQUAL(cpu(&bed, 0)->idle, 150);
    CHECK_EQUAL(thread(&bed, 1)->running, 300 + 550);
    CHECK_EQUAL(thread(&bed, 1)->unknown, 150);
    CHECK_EQUAL(thread(&bed, 1)->waiting[WAIT_MUTEX], 0);
    CHECK_EQUAL(thread(&bed, 3)->running, 100);
    bed_close(&bed);
}

/* Random switches, wakes and moves of 8 threads on 4 processors. */
#define THREADS 10
struct random_run {
    struct bed bed;
    uint32_t runs[CPUS]; /* the thread of each processor */
    int at[THREADS];     /* where each thread is; -1: nowhere yet */
    bool ready[THREADS];
    uint64_t busy[CPUS];
    uint64_t since[CPUS];
};

/* A ready thread gets the processor. The events are not recorded if `silent`. */
static void random_switch(struct random_run *run, uint64_t tsc, uint32_t on, uint32_t id,
                          bool stays, bool silent)
{
    const uint32_t old = run->runs[on];

    if (run->at[id] >= 0 && run->at[id] != (int)on && !silent) {
        TRACE_ADD(&run->bed.on[on], tsc, thread_migrate, id, run->at[id], on);
    }
    if (!silent) {
        TRACE_ADD(&run->bed.on[on], tsc, thread_switch, old, id,
                  old == 0 || stays ? STAY(WAIT_QUANTUM) : WAIT(WAIT_SLEEP));
    }
    run->ready[old] = stays;
    run->busy[on] += old != 0 ? tsc - run->since[on] : 0;
    run->since[on] = tsc;
    run->runs[on] = id;
    run->ready[id] = false;
    run->at[id] = (int)on;
}

static bool random_runs(const struct random_run *run, uint32_t id)
{
    bool any = false;

    for (uint32_t i = 0; i < CPUS; i++) {
        any = any || run->runs[i] == id;
    }
    return any;
}

static void random_begin(struct random_run *run)
{
    bed_open(&run->bed, CPUS);
    run->runs[0] = 1;
    for (uint32_t i = 0; i < THREADS; i++) {
        run->at[i] = i == 1 ? 0 : -1;
        if (i >= 4) {
            TRACE_ADD(&run->bed.on[0], BEGIN, thread_is, i, 0, 10, THREAD_WAITING, WAIT_SLEEP);
        }
    }
    for (uint32_t i = 0; i < CPUS; i++) {
        run->since[i] = BEGIN;
    }
}

static void random_check(struct random_run *run, bool lost)
{
    for (uint32_t i = 0; i < CPUS; i++) {
        run->busy[i] += run->runs[i] != 0 ? BEGIN + 3100 - run->since[i] : 0;
    }
    bed_finish(&run->bed, BEGIN + 3100);
    CHECK_EQUAL(accounting_conflicts(&run->bed.accounting), 0);
    for (size_t i = 0; i < CPUS; i++) {
        if (!lost || i != 2) {
            CHECK_EQUAL(account_busy_ticks(cpu(&run->bed, i)), run->busy[i]);
            CHECK_EQUAL(cpu(&run->bed, i)->ticks[ACCOUNT_UNKNOWN], 0);
        }
    }
    CHECK(!lost || cpu(&run->bed, 2)->ticks[ACCOUNT_UNKNOWN] > 0);
    bed_close(&run->bed);
}

/* All told in order, with a hole in half of the runs: never a contradiction, and the books close.
 */
static void random_run(uint64_t seed, bool hole)
{
    struct random_run run = {0};
    bool lost = false;

    random_begin(&run);
    for (uint64_t tsc = BEGIN + 10; tsc < BEGIN + 3000; tsc += 1 + unit_random(&seed) % 9) {
        const uint32_t on = (uint32_t)(unit_random(&seed) % CPUS);
        const uint32_t id = 1 + (uint32_t)(unit_random(&seed) % (THREADS - 1));

        if (hole && !lost && on == 2 && tsc > BEGIN + 1000) {
            lost = true; /* the events of processor 2 are dropped for a while */
            trace_builder_turn(&run.bed.on[2], tsc, BEGIN + 2000, 0);
            run.bed.on[2].discarded = 5;
        }
        const bool silent = lost && on == 2 && tsc < BEGIN + 2000;

        if (random_runs(&run, id)) {
            continue;
        }
        if (run.ready[id]) {
            const bool stays = run.runs[on] != 0 && unit_random(&seed) % 2 == 0;

            random_switch(&run, tsc, on, id, stays, silent);
            continue;
        }
        if (!silent) {
            TRACE_ADD(&run.bed.on[on], tsc, thread_ready, id,
                      TRACE_BY(TRACE_BY_THREAD, run.runs[on]));
        }
        run.ready[id] = true;
    }
    random_check(&run, lost);
}

static void test_random(void)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        random_run(seed, seed % 2 == 0);
    }
}

/* The account without records of both processors, as the image sends it: `at` is the fact that is
 * wrong by 8 ticks, which processor 0 lacks if `moved`. Returns what differs. */
static const char *check_memory(const char *at, bool moved)
{
    static const struct {
        const char *name;
        int64_t ticks;
    } facts[] = {{FACT_ACCOUNT_ELAPSED, 1000},        {FACT_ACCOUNT "thread_1", 1000},
                 {FACT_ACCOUNT "cpu1_elapsed", 1000}, {FACT_ACCOUNT "cpu1_thread_0", 740},
                 {FACT_ACCOUNT "cpu1_thread_2", 250}, {FACT_ACCOUNT "cpu1_vector_240", 10},
                 {FACT_ENTRIES "cpu1_vector_240", 1}};
    struct account_memory memory;
    struct bed bed;

    bed_open(&bed, 2);
    add_wake(&bed);
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        const int64_t wrong = at != NULL && strcmp(at, facts[i].name) == 0 ? 8 : 0;

        build_fact(bed.bench, facts[i].name, facts[i].ticks + wrong - (moved && i == 1 ? 8 : 0));
    }
    bed_finish(&bed, 2000);
    account_memory_read(&memory, bed.bench, &bed.accounting);
    CHECK(memory.present && memory.traced && memory.whole);
    CHECK_EQUAL(memory.elapsed, 2000 + (at != NULL && strstr(at, "elapsed") != NULL ? 8 : 0));
    const char *different = memory.different;

    account_memory_free(&memory);
    bed.bench->state = STATE_OK;
    account_judge(&bed.run);
    CHECK_TEXT(bed.bench->state, different == NULL ? STATE_OK : STATE_FAIL);
    CHECK(different == NULL || strstr(bed.bench->reason, different) == bed.bench->reason);
    bed_close(&bed);
    return different;
}

static void test_memory(void)
{
    static const char sums[] =
        "the account that is kept without trace records does not add up to the elapsed time";

    CHECK(check_memory(NULL, false) == NULL);
    CHECK_TEXT(check_memory(FACT_ACCOUNT "cpu1_thread_2", false), sums);
    CHECK_TEXT(check_memory(FACT_ACCOUNT "cpu1_elapsed", false), sums);
    /* The sum of both processors is right. */
    CHECK_TEXT(check_memory(FACT_ACCOUNT "cpu1_thread_2", true), sums);
}

int main(void)
{
    RUN(test_wake());
    RUN(test_quantum());
    RUN(test_wrong_processor());
    RUN(test_wrong_quantum());
    RUN(test_twice());
    RUN(test_unmoved());
    RUN(test_moved_running());
    RUN(test_hole());
    RUN(test_random());
    RUN(test_memory());
    return unit_finish("unit_accounting_processors");
}
