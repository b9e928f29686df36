/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench runqueue: from posting a semaphore until the thread that waits for it runs, on C
 * processors. Curve "idle.C": all but the bench's are idle. "lower.C" and "equal.C": each processor
 * has a running and x ready hogs, of lower priority than the woken thread's or of the same.
 * README.md has the law.
 */
#include "bench/smp/smp.h"

#define PRIORITY 10
#define PHASES   7 /* different places of a quantum at which wake-ups come */

enum load { IDLE, LOWER, EQUAL, LOADS };
static const char *const loads[LOADS] = {"idle", "lower", "equal"};

static uint64_t ready[SMP_POINTS_MAX], until, woken_at;
static size_t points, trials, cpus;
static struct semaphore turn, done;

static void wait_for_turns(void *argument)
{
    for (size_t i = 0; i < (size_t)argument; i++) {
        semaphore_wait(&turn);
        woken_at = tsc_read();
        semaphore_post(&done);
    }
}

static void wake(const char *name, int64_t *samples, uint64_t quanta)
{
    for (size_t k = 0; k < trials; k++) {
        smp_sleep(smp.slice + smp.slice * (k % PHASES) / PHASES);
        const uint64_t before = tsc_read();

        semaphore_post(&turn);
        semaphore_wait(&done);
        samples[k] = (int64_t)(woken_at - before);
        smp_law(quanta * smp.slice, smp.slice, (1 + quanta) * smp.margin, (uint64_t)samples[k],
                UNIT_TICK, "wake-up %zu of %s", k, name);
    }
}

/* Hogs of one point stay for the next, which has more. */
static void play_load(enum load load)
{
    const char *name = smp_name("%s.%zu", loads[load], cpus);
    const size_t count = load == IDLE ? 1 : points;
    int64_t *samples = smp_samples(count * trials);

    until = UINT64_MAX;
    smp_thread(smp_name("%s woken", name), PRIORITY, SMP_ALL, wait_for_turns,
               (void *)(count * trials));
    for (size_t i = 0, hogs = 0; i < count; i++) {
        for (; load != IDLE && hogs < (1 + ready[i]) * cpus && smp.state == BENCH_OK; hogs++) {
            smp_thread(smp_name("%s hog %zu", name, hogs), load == EQUAL ? PRIORITY : 1,
                       1u << hogs % cpus, smp_hog, &until);
        }
        if (smp.state != BENCH_OK) {
            return;
        }
        wake(name, samples + i * trials, load == EQUAL ? 1 + ready[i] : 0);
    }
    until = 0;
    smp_join();
    smp_curve(name, ready, count, samples, trials, NULL);
}

static void play(void)
{
    semaphore_init(&turn, smp_name("turn %zu", cpus), 0);
    semaphore_init(&done, smp_name("done %zu", cpus), 0);
    for (enum load load = 0; load < LOADS && smp.state == BENCH_OK; load++) {
        play_load(load);
    }
}

static enum bench_state run(struct bench_run *run)
{
    bool good = smp_open(run, 1);

    points = bench_numbers(run, "ready", ready, SMP_POINTS_MAX);
    trials = bench_number(run, "trials");
    for (cpus = 1; good && cpus <= smp.cpus; cpus *= 2) {
        good = SMP_SESSION(.processors = cpus, .quantum = smp_us("quantum_us"));
    }
    return smp.state;
}

static const struct bench_param params[] = {
    {SMP_PARAM_CPUS},
    {"quantum_us", "200", SMP_QUANTUM},
    {"ready", "0,3", "ready threads on each processor, ascending, a,b,c",
     PARAM_NUMBERS(0, 15, SMP_POINTS_MAX)},
    {"trials", "7", "wake-ups at each point", PARAM_NUMBER(1, 10000)},
    {0},
};

static const struct bench runqueue = {
    SMP_BENCH,
    .name = BENCH_RUNQUEUE,
    .main_series = "equal.1",
    .summary = "from waking a thread until it runs, by the load and the number of processors",
    .estimate = "idle or lower priority: about 1000 instructions, most of them of the "
                "interrupt to the other processor; equals: half a quantum, and a quantum for "
                "each ready thread, because the thread is queued at one processor",
};
BENCH_REGISTER(runqueue);
