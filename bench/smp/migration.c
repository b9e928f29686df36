/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench migration: the cost of moving a thread to another processor, by what it holds in its cache.
 *
 * The thread reads and writes a word of each cache line of its working set: once to fetch it, then
 * timed ("warm"). It moves to another processor by its own affinity mask ("move") and touches the
 * set once more ("moved"): what that takes longer than "warm" is the cost of the cold cache.
 *
 * Law: in exact time, where caches have no part, "moved" takes the instructions of "warm".
 */
#include "bench/smp/smp.h"

#define PRIORITY   10
#define LINE_BYTES 64
#define POINTS_MAX 16

enum part { WARM, MOVE, MOVED, PARTS };
static const char *const part_names[PARTS] = {"warm", SERIES_MOVE, "moved"};

static struct smp smp;
static uint64_t sizes[POINTS_MAX];
static size_t points, trials;
static uint8_t *memory;
static int64_t *samples[PARTS]; /* trial k of point i at [i * trials + k] */
static uint64_t astray;         /* moves that ended elsewhere */

static void touch(uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i += LINE_BYTES) {
        (*(volatile uint64_t *)(memory + i))++;
    }
}

static uint64_t time_touch(uint64_t bytes)
{
    const uint64_t begin = tsc_read();

    touch(bytes);
    return tsc_read() - begin;
}

static void mover(void *argument)
{
    (void)argument;
    for (size_t i = 0; i < points * trials; i++) {
        const size_t target = (thread_processor() + 1) % smp.cpus;
        const uint64_t bytes = sizes[i / trials];

        touch(bytes);
        samples[WARM][i] = (int64_t)time_touch(bytes);
        const uint64_t before = tsc_read();

        thread_set_affinity(thread_current(), smp_only(target));
        samples[MOVE][i] = (int64_t)(tsc_read() - before);
        samples[MOVED][i] = (int64_t)time_touch(bytes);
        astray += thread_processor() == target ? 0 : 1;
    }
}

static enum bench_state run(struct bench_run *run)
{
    uint64_t most = 0;

    if (!smp_open(&smp, run, 2)) {
        return smp.state;
    }
    points = bench_numbers(run, PARAM_SIZES, sizes, POINTS_MAX);
    trials = bench_number(run, "trials");
    astray = 0;
    for (size_t i = 0; i < points; i++) {
        most = sizes[i] > most ? sizes[i] : most;
    }
    memory = (uint8_t *)smp_samples(&smp, most / sizeof(int64_t) + 1);
    for (enum part part = 0; part < PARTS; part++) {
        samples[part] = smp_samples(&smp, points * trials);
    }
    if (smp_begin(&smp, (struct task_settings){0})) {
        smp_thread(&smp, "mover", PRIORITY, smp_only(0), mover, NULL);
        smp_join(&smp);
    }
    smp_end(&smp);
    for (enum part part = 0; part < PARTS && smp.state == BENCH_OK; part++) {
        smp_curve(&smp, part_names[part], sizes, points, samples[part], trials, NULL);
    }
    smp_law(&smp, 0, 0, 0, astray, "ended elsewhere", "moves to the next processor");
    for (size_t i = 0; i < points * trials; i++) {
        smp_law(&smp, (uint64_t)samples[WARM][i], 0, 0, (uint64_t)samples[MOVED][i], UNIT_TICK,
                "%lu bytes after a move", sizes[i / trials]);
    }
    return smp.state;
}

static const struct bench_param params[] = {
    SMP_PARAM_CPUS("2"),
    {PARAM_SIZES, "0,4096,65536,1048576", "working sets in bytes, a,b,c",
     PARAM_NUMBERS(0, 64u << 20, POINTS_MAX)},
    {"trials", "8", "moves with each working set", PARAM_NUMBER(1, 10000)},
    {0},
};

SMP_BENCH(migration, BENCH_MIGRATION, SERIES_MOVE,
          "moving a thread to another processor, by the bytes that it holds in its cache",
          "a move is a switch on each side and an interrupt to the other processor: 2000 to 4000 "
          "cycles; each line of the working set then comes from the other cache: 50 to 100 ns each "
          "at first, less where the prefetcher sees the pattern");
