/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench affinity: "pinned N" sleeps and works on processor N by turns, while free threads of lower
 * priority, one more than there are processors, give the scheduler reasons to move it. Then the
 * bench changes the mask of a victim that runs all the time; a sample is from before the call until
 * the victim has seen itself on the new processor. README.md has the law.
 */
#include "bench/smp/smp.h"

#define PRIORITY      10
#define FREE_PRIORITY 5
#define SETTLE_US     300 /* time for a move, */
#define SETTLES       100 /* or many times that where other programs take processors away */

static uint64_t moves, until;
static uint64_t looks, astray; /* of pinned threads; those from elsewhere */
static int64_t *move;
static volatile uint64_t arrived; /* TSC when the victim saw itself on processor seen_on */
static volatile size_t seen_on;

static void run_pinned(void *argument)
{
    for (uint64_t i = 0; i < moves; i++) {
        smp_sleep(smp.slice / 2);
        __atomic_add_fetch(&astray, thread_processor() != (size_t)argument, __ATOMIC_RELAXED);
        smp_work(smp.slice / 2);
        __atomic_add_fetch(&astray, thread_processor() != (size_t)argument, __ATOMIC_RELAXED);
    }
    if (__atomic_add_fetch(&looks, moves, __ATOMIC_RELAXED) == moves * smp.cpus) {
        until = 0; /* the last one ends the free threads */
    }
}

static void run_victim(void *argument)
{
    while (tsc_read() < *(volatile uint64_t *)argument) {
        if (thread_processor() != seen_on) {
            arrived = tsc_read();
            seen_on = thread_processor();
        }
    }
}

static void play(void)
{
    until = UINT64_MAX;
    astray = looks = 0;
    for (size_t i = 0; i <= smp.cpus; i++) {
        smp_thread(smp_name("free %zu", i), FREE_PRIORITY, SMP_ALL, smp_hog, &until);
    }
    for (size_t i = 0; i < smp.cpus; i++) {
        smp_thread(smp_name("pinned %zu", i), PRIORITY, 1u << i, run_pinned, (void *)i);
    }
    smp_join();
    smp_law(0, 0, 0, astray, "from elsewhere", "looks of pinned threads");
    until = UINT64_MAX;
    seen_on = 0;
    struct thread *victim = smp_thread("victim", PRIORITY, 1, run_victim, &until);

    for (uint64_t i = 0; i < moves && smp.state == BENCH_OK; i++) {
        smp_sleep(clock_ticks_from_us(SETTLE_US));
        const size_t target = (seen_on + 1) % smp.cpus;
        const uint64_t before = tsc_read();

        thread_set_affinity(victim, 1u << target);
        for (unsigned k = 0; k < SETTLES && seen_on != target; k++) {
            smp_sleep(clock_ticks_from_us(SETTLE_US));
        }
        move[i] = (int64_t)(arrived - before);
        smp_law(target, 0, 0, seen_on, "as processor", "move %lu", i);
    }
    until = 0;
    smp_join();
}

static enum bench_state run(struct bench_run *run)
{
    if (smp_open(run, 2)) {
        moves = bench_number(run, "moves");
        move = smp_samples(moves);
        if (SMP_SESSION(.quantum = smp_us("quantum_us"))) {
            bench_publish(run, SERIES_MOVE, UNIT_TICK, move, moves);
        }
    }
    return smp.state;
}

static const struct bench_param params[] = {
    {SMP_PARAM_CPUS},
    {"quantum_us", "100", SMP_QUANTUM},
    {"moves", "16", "moves, and turns of each pinned thread", PARAM_NUMBER(1, 10000)},
    {0},
};

static const struct bench affinity = {
    SMP_BENCH,
    .name = BENCH_AFFINITY,
    .main_series = SERIES_MOVE,
    .summary = "threads run only where their masks allow, and move when these change",
    .estimate = "no thread runs where its mask forbids it; a move is two interrupts and two "
                "switches, 2000 to 4000 cycles, if nothing of higher priority runs there",
};
BENCH_REGISTER(affinity);
