/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench inversion2: priority inversion across two processors.
 *
 *     0               "low" takes a lock on processor 0 and works for HOLD
 *     2 HOLD / 10     "high" is woken on processor 1 and wants the lock
 *     4 HOLD / 10     "medium" is woken and works for MEDIUM, on processor 0 or, if free, anywhere
 * README.md has the law.
 */
#include "bench/smp/smp.h"

#define MILLISECOND_US 1000
#define PARTS          10
#define HIGH_AT        2
#define MEDIUM_AT      4

static const struct {
    const char *name;
    bool inherits;
    uint64_t medium_on; /* affinity */
    bool inverted;
} variants[] = {{"plain", false, 1, true}, {"inherit", true, 1, false}, {"free", false, 3, false}};
#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

static struct mutex lock;
static struct semaphore high_turn, medium_turn;
static uint64_t hold, medium, waited;

static void run_low(void *argument)
{
    (void)argument;
    mutex_lock(&lock);
    for (unsigned part = 0; part < PARTS; part++) {
        if (part == HIGH_AT || part == MEDIUM_AT) {
            semaphore_post(part == HIGH_AT ? &high_turn : &medium_turn);
        }
        smp_work(hold / PARTS);
    }
    mutex_unlock(&lock);
}

static void run_medium(void *argument)
{
    semaphore_wait(argument);
    smp_work(medium);
}

static void run_high(void *argument)
{
    semaphore_wait(argument);
    const uint64_t before = tsc_read();

    mutex_lock(&lock);
    waited = tsc_read() - before;
    mutex_unlock(&lock);
}

static void play(void)
{
    for (size_t i = 0; i < VARIANTS; i++) {
        const char *name = variants[i].name;
        const uint64_t rest = hold / PARTS * (PARTS - HIGH_AT);
        const uint64_t expected = rest + (variants[i].inverted ? medium : 0);

        mutex_init(&lock, smp_name("%s lock", name), variants[i].inherits);
        semaphore_init(&high_turn, smp_name("%s high's turn", name), 0);
        semaphore_init(&medium_turn, smp_name("%s medium's turn", name), 0);
        smp_thread(smp_name("%s high", name), 15, 2, run_high, &high_turn);
        smp_thread(smp_name("%s medium", name), 10, variants[i].medium_on, run_medium,
                   &medium_turn);
        smp_thread(smp_name("%s low", name), 5, 1, run_low, NULL);
        smp_join();
        bench_fact(smp.run, smp_name("%s_expected", name), UNIT_TICK, (int64_t)expected);
        bench_fact(smp.run, smp_name("%s_observed", name), UNIT_TICK, (int64_t)waited);
        smp_law(expected, smp.margin, smp.margin, waited, UNIT_TICK, "%s: wait of high", name);
    }
}

static enum bench_state run(struct bench_run *run)
{
    if (smp_open(run, 2)) {
        hold = clock_ticks_from_us(bench_number(run, "hold_ms") * MILLISECOND_US);
        medium = clock_ticks_from_us(bench_number(run, "medium_ms") * MILLISECOND_US);
        SMP_SESSION(.processors = 2);
    }
    return smp.state;
}

static const struct bench_param params[] = {
    {SMP_PARAM_CPUS},
    {"hold_ms", "2", "work in ms under the lock", PARAM_TIME(1, 1000)},
    {"medium_ms", "4", "work in ms of the thread of medium priority", PARAM_TIME(1, 10000)},
    {0},
};

static const struct bench inversion2 = {
    SMP_BENCH,
    .name = BENCH_INVERSION2,
    .summary = "priority inversion across two processors, with and without inheritance",
    .estimate = "the highest priority waits 4/5 of hold_ms, and medium_ms more if the thread of "
                "medium priority may only run where the holder of the lock does and the holder "
                "inherits no priority; in addition about 2000 instructions",
};
BENCH_REGISTER(inversion2);
