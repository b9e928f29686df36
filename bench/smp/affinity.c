/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench affinity: threads run where their affinity masks allow, and move when these change.
 *
 * "pinned N" may run on processor N only. It sleeps and works by turns while free threads of lower
 * priority, one more than there are processors, give the scheduler reasons to move it. Then the
 * bench changes the mask of a victim, which runs all the time; a sample is from before the call
 * until the victim has seen itself on the new processor. (Bench migration has a thread that changes
 * its own mask.)
 *
 * Law: a pinned thread never sees itself elsewhere; a changed mask has its effect.
 */
#include "bench/smp/smp.h"

#define PRIORITY      10
#define FREE_PRIORITY 5
#define TURN_US       50
#define SETTLE_US     300 /* time for a move by another thread */

static struct smp smp;
static uint64_t turn, moves, astray, elsewhere[SMP_CPUS_MAX], until;
static int64_t *move;
static volatile uint64_t arrived; /* TSC when the victim saw itself on processor seen_on */
static volatile size_t seen_on;
static size_t pinned_running;

static void pinned(void *argument)
{
    const size_t cpu = (size_t)argument;

    for (uint64_t i = 0; i < 2 * moves; i++) {
        if (i % 2 == 0) {
            smp_sleep(turn);
        } else {
            smp_work(&smp, turn);
        }
        elsewhere[cpu] += thread_processor() == cpu ? 0 : 1;
    }
    until = __atomic_sub_fetch(&pinned_running, 1, __ATOMIC_RELAXED) == 0 ? 0 : until;
}

static void wander(void *argument)
{
    (void)argument;
    while (tsc_read() < *(const volatile uint64_t *)&until) {
        if (thread_processor() != seen_on) {
            arrived = tsc_read();
            seen_on = thread_processor();
        }
    }
}

static void move_victim(void)
{
    struct thread *victim = smp_thread(&smp, "victim", PRIORITY, smp_only(0), wander, NULL);

    seen_on = 0;
    for (uint64_t i = 0; i < moves && victim != NULL; i++) {
        smp_sleep(clock_ticks_from_us(SETTLE_US));
        const size_t target = (seen_on + 1) % smp.cpus;
        const uint64_t before = tsc_read();

        thread_set_affinity(victim, smp_only(target));
        smp_sleep(clock_ticks_from_us(SETTLE_US));
        move[i] = (int64_t)(arrived - before);
        astray += seen_on == target ? 0 : 1;
    }
    until = 0;
    smp_join(&smp);
}

static void play(void)
{
    until = UINT64_MAX;
    pinned_running = smp.cpus;
    for (size_t i = 0; i <= smp.cpus; i++) {
        smp_thread(&smp, smp_name("free %zu", i), FREE_PRIORITY, SMP_ALL, smp_hog, &until);
    }
    for (size_t i = 0; i < smp.cpus; i++) {
        elsewhere[i] = 0;
        smp_thread(&smp, smp_name("pinned %zu", i), PRIORITY, smp_only(i), pinned, (void *)i);
    }
    smp_join(&smp);
    until = UINT64_MAX;
    move_victim();
}

static enum bench_state run(struct bench_run *run)
{
    if (!smp_open(&smp, run, 2)) {
        return smp.state;
    }
    moves = bench_number(run, "moves");
    turn = clock_ticks_from_us(TURN_US);
    move = smp_samples(&smp, moves);
    astray = 0;
    if (smp_begin(&smp, (struct task_settings){.quantum = 2 * turn})) {
        play();
    }
    if (!smp_end(&smp)) {
        return smp.state;
    }
    bench_publish(run, SERIES_MOVE, UNIT_TICK, move, moves);
    for (size_t i = 0; i < smp.cpus; i++) {
        smp_law(&smp, 0, 0, 0, elsewhere[i], "looks from elsewhere", "pinned %zu", i);
    }
    smp_law(&smp, 0, 0, 0, astray, "without effect", "changes of a mask");
    return smp.state;
}

static const struct bench_param params[] = {
    SMP_PARAM_CPUS("4"),
    {"moves", "16", "moves of each kind", PARAM_NUMBER(1, 10000)},
    {0},
};

SMP_BENCH(
    affinity, BENCH_AFFINITY, SERIES_MOVE,
    "threads run only where their masks allow, and move when these change",
    "no thread runs where its mask forbids it; a move is two switches and an interrupt to the "
    "other processor, 2000 to 4000 cycles, if nothing of higher priority runs there");
