/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench migration: a thread touches each cache line of its working set, once to fetch it, then
 * timed
 * ("warm"), moves to another processor by its own mask ("move"), and touches the set again
 * ("moved"). README.md has the law.
 */
#include "bench/smp/smp.h"

#define PRIORITY   10
#define LINE_BYTES 64
#define BYTES_MAX  (64u << 20)

static uint64_t sizes[SMP_POINTS_MAX];
static size_t points, trials;
static uint8_t *memory;
static int64_t *warm, *move, *moved; /* trial k of point i at [i * trials + k] */

static uint64_t touch(uint64_t bytes)
{
    const uint64_t begin = tsc_read();

    for (uint64_t i = 0; i < bytes; i += LINE_BYTES) {
        (*(volatile uint64_t *)(memory + i))++;
    }
    return tsc_read() - begin;
}

static void run_mover(void *argument)
{
    (void)argument;
    for (size_t i = 0; i < points * trials; i++) {
        const size_t target = (thread_processor() + 1) % smp.cpus;
        const uint64_t bytes = sizes[i / trials];

        touch(bytes);
        warm[i] = (int64_t)touch(bytes);
        const uint64_t before = tsc_read();

        thread_set_affinity(thread_current(), 1u << target);
        move[i] = (int64_t)(tsc_read() - before);
        moved[i] = (int64_t)touch(bytes);
        smp_law(target, 0, 0, thread_processor(), "as processor", "move %zu", i);
        smp_law((uint64_t)warm[i], 0, 0, (uint64_t)moved[i], UNIT_TICK, "%lu bytes after a move",
                bytes);
    }
}

static void play(void)
{
    smp_thread("mover", PRIORITY, 1, run_mover, NULL);
    smp_join();
}

static enum bench_state run(struct bench_run *run)
{
    if (!smp_open(run, 2)) {
        return smp.state;
    }
    points = bench_numbers(run, PARAM_SIZES, sizes, SMP_POINTS_MAX);
    trials = bench_number(run, "trials");
    uint64_t most = LINE_BYTES;

    for (size_t i = 0; i < points; i++) {
        most = sizes[i] > most ? sizes[i] : most;
    }
    memory = (uint8_t *)smp_samples(most / sizeof(int64_t));
    warm = smp_samples(points * trials);
    move = smp_samples(points * trials);
    moved = smp_samples(points * trials);
    if (SMP_SESSION(0)) {
        smp_curve("warm", sizes, points, warm, trials, NULL);
        smp_curve(SERIES_MOVE, sizes, points, move, trials, NULL);
        smp_curve("moved", sizes, points, moved, trials, NULL);
    }
    return smp.state;
}

static const struct bench_param params[] = {
    {SMP_PARAM_CPUS},
    {PARAM_SIZES, "0,4096,65536,1048576", "working sets in bytes, a,b,c",
     PARAM_NUMBERS(0, BYTES_MAX, SMP_POINTS_MAX)},
    {"trials", "8", "moves with each working set", PARAM_NUMBER(1, 10000)},
    {0},
};

static const struct bench migration = {
    SMP_BENCH,
    .name = BENCH_MIGRATION,
    .main_series = SERIES_MOVE,
    .summary = "moving a thread to another processor, by the bytes that it holds in its cache",
    .estimate = "a move is a switch on each side and an interrupt to the other processor: 2000 "
                "to 4000 cycles; each line of the working set then comes from the other cache: "
                "50 to 100 ns each at first, less where the prefetcher sees the pattern",
};
BENCH_REGISTER(migration);
