/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench boost: a thread below a hog of higher priority on its processor. What the thread waits for
 * comes when the hog has SPAN quanta to go. A sample of WAY is how much later the thread runs; in
 * way "starved" it is created at that time. A sample of "kept.WAY" is how long it then computes
 * until it loses the processor, or the hog ends. Session "plain" is without boosts, "boost" with
 * them. README.md has the law.
 */
#include "bench/smp/smp.h"
#include "kernel/task/message.h"
#include "kernel/task/scheduler.h"

#define PRIORITY     9
#define HOG_PRIORITY 10
#define SPAN         (3 * STARVED_QUANTA)

/* STARVED first: rescues count from the session's start, and no publishing may come in between. */
enum way { STARVED, TIMER, SEMAPHORE, MESSAGE, WAYS };
static const char *const ways[WAYS] = {"starved", "timer", "semaphore", "message"};

static enum way way;
static bool boosts;
static struct semaphore semaphore;
static uint64_t due, hog_end, late, kept; /* of the latest trial */

static void run_waiter(void *argument)
{
    (void)argument;
    if (way == TIMER) {
        thread_sleep_until(due);
    } else if (way == SEMAPHORE) {
        semaphore_wait(&semaphore);
    } else if (way == MESSAGE) {
        message_receive();
    }
    const uint64_t begin = tsc_read();
    uint64_t last = begin;

    for (uint64_t now = begin; now < hog_end && now - last < smp.slice / 4; now = tsc_read()) {
        last = now;
    }
    late = begin - due;
    kept = last - begin;
}

/* The bench runs on processor 0, thread and hog on the last one. */
static void try(const char *name)
{
    const uint64_t there = 1u << (smp.cpus - 1);
    struct thread *thread = NULL;

    due = tsc_read() + 4 * smp.slice;
    hog_end = due + SPAN * smp.slice;
    if (way != STARVED) {
        thread = smp_thread(name, PRIORITY, there, run_waiter, NULL);
    }
    thread_sleep_until(due - 3 * smp.slice); /* now it waits */
    smp_thread(smp_name("%s hog", name), HOG_PRIORITY, there, smp_hog, &hog_end);
    thread_sleep_until(due);
    if (way == SEMAPHORE) {
        semaphore_post(&semaphore);
    } else if (way == MESSAGE && thread != NULL) {
        message_send(thread, 0, 0);
    } else if (way == STARVED) {
        smp_thread(name, PRIORITY, there, run_waiter, NULL);
        due = tsc_read();
        hog_end = due + SPAN * smp.slice;
    }
    smp_join();
}

static void judge(const char *name)
{
    const uint64_t levels = way == STARVED ? BOOST_PRIORITY_MAX - HOG_PRIORITY : 1;
    const uint64_t longest = (way == STARVED ? 2 * STARVED_QUANTA : 1) * smp.slice;

    if (!boosts) {
        smp_law(SPAN * smp.slice, smp.margin, smp.margin, late, UNIT_TICK, "%s", name);
        return;
    }
    smp_law(longest, way == STARVED ? longest / 2 : longest, smp.margin, late, UNIT_TICK, "%s",
            name);
    smp_law(levels * smp.slice, smp.margin, levels * smp.margin, kept, UNIT_TICK, "%s kept", name);
}

static void play(void)
{
    const size_t trials = bench_number(smp.run, "trials");

    semaphore_init(&semaphore, boosts ? "boost semaphore" : "plain semaphore", 0);
    for (way = 0; way < WAYS; way++) {
        const char *name = smp_name("%s.%s", boosts ? "boost" : "plain", ways[way]);
        int64_t *lates = smp_samples(trials);
        int64_t *keeps = smp_samples(trials);

        for (size_t i = 0; i < trials && smp.state == BENCH_OK; i++) {
            try(smp_name("%s %zu", name, i));
            lates[i] = (int64_t)late;
            keeps[i] = (int64_t)kept;
            judge(name);
        }
        bench_publish(smp.run, name, UNIT_TICK, lates, trials);
        bench_publish(smp.run, smp_name("kept.%s", name), UNIT_TICK, keeps, trials);
    }
}

static enum bench_state run(struct bench_run *run)
{
    if (smp_open(run, 1)) {
        boosts = false;
        SMP_SESSION(.quantum = smp_us("quantum_us"));
        boosts = true;
        SMP_SESSION(.quantum = smp_us("quantum_us"), .boosts = true);
    }
    return smp.state;
}

static const struct bench_param params[] = {
    {SMP_PARAM_CPUS},
    {"quantum_us", "200", SMP_QUANTUM},
    {"trials", "3", "waits of each kind", PARAM_NUMBER(1, 8)},
    {0},
};

static const struct bench boost = {
    SMP_BENCH,
    .name = BENCH_BOOST,
    .main_series = "boost.timer",
    .summary = "waking below a thread of higher priority that never waits, by boosts",
    .estimate = "without boosts the thread waits until the other has ended; with them it waits at "
                "most a quantum, and runs for one; starved, it runs after 32 to 64 quanta",
};
BENCH_REGISTER(boost);
