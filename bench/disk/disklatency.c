/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench disklatency: reads of several sizes that bypass the cache, one at a time, at random places.
 * The time of each read is split into spans: until the device has the read, until the read is done
 * by the timing model of a modelled disk, until the handler of the disk's interrupt has seen that,
 * and until the thread continues.
 *
 * The data is checked after each read, while no request is outstanding and nothing is timed.
 */
#include <stdio.h>

#include "bench/disk/names.h"
#include "bench/disk/reads.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/names.h"

#define SIZES_MAX 16
#define BYTES_MAX (1 << 20)
#define NAME_MAX  32

static struct {
    struct target target;
    struct timing_follower follower;
    struct draw_random random;
    uint64_t size[SIZES_MAX];
    size_t sizes;
    uint8_t *memory; /* for a read of the largest size */
} state;

/* Chooses the first sector of a read at random, among all blocks with enough space after them. Each
 * is equally likely. */
static uint64_t draw_sector(uint64_t bytes)
{
    const uint64_t block = state.target.disk->block_bytes;
    const uint64_t blocks = state.target.sectors * LAYOUT_SECTOR / block - bytes / block + 1;

    return state.target.first + target_draw(&state.random, blocks) * (block / LAYOUT_SECTOR);
}

static bool read_all(struct reads *reads, void *argument)
{
    bool good = true;

    (void)argument;
    for (size_t i = 0; i < reads->capacity && good; i++) {
        const uint64_t sector = draw_sector(reads->bytes);
        size_t index;

        good = reads_one(reads, tsc_read(), sector, &index);
        if (good) {
            reads_check(reads, index);
        }
    }
    return true;
}

/* Returns NULL if reads of this size are possible, otherwise the reason. */
static const char *cannot_read(uint64_t bytes)
{
    const struct block_disk *disk = state.target.disk;

    if (bytes % disk->block_bytes != 0) {
        return "this size is not a multiple of the disk's block";
    }
    if (bytes / disk->block_bytes > disk->blocks_max) {
        return "the disk cannot read this size by one request";
    }
    return bytes / LAYOUT_SECTOR > state.target.sectors
               ? "the file or volume is smaller than this size"
               : NULL;
}

static enum bench_state measure(struct bench_run *run, uint64_t bytes)
{
    const char *why = cannot_read(bytes);
    struct reads reads;
    char name[NAME_MAX];

    if (why != NULL) {
        snprintf(name, sizeof(name), SERIES_READ ".%lu", bytes);
        bench_absent(run, name, why);
        return BENCH_OK;
    }
    if (!reads_take(&reads, &state.target, bench_number(run, "reads"), bytes)) {
        return bench_error(run, "no memory for samples");
    }
    reads.memory = state.memory;
    reads.kept = 1;
    const enum bench_state result = reads_session(run, &reads, 1, read_all, NULL);

    if (result == BENCH_OK && state.target.error == BLOCK_GOOD) {
        reads_follow_timing(&reads, &state.follower);
        reads_publish(run, &reads, bytes);
    }
    return result;
}

static enum bench_state prepare(struct bench_run *run)
{
    enum bench_state result = target_find(run, &state.target);
    uint64_t largest = 0;

    state.sizes = bench_numbers(run, PARAM_SIZES, state.size, SIZES_MAX);
    for (size_t i = 0; i < state.sizes; i++) {
        largest = state.size[i] > largest ? state.size[i] : largest;
    }
    draw_seed(&state.random, bench_number(run, "seed"), 0);
    state.follower = (struct timing_follower){0};
    state.memory = bench_memory(largest);
    return result == BENCH_OK && state.memory == NULL ? bench_error(run, "no memory for a read")
                                                      : result;
}

static enum bench_state run(struct bench_run *run)
{
    enum bench_state result = prepare(run);

    if (result != BENCH_OK) {
        return result;
    }
    reads_publish_missing(run, &state.target);
    for (size_t i = 0; i < state.sizes && result == BENCH_OK && state.target.error == BLOCK_GOOD;
         i++) {
        result = measure(run, state.size[i]);
    }
    const enum bench_state verdict = target_judge(run, &state.target);

    if (result == BENCH_OK) {
        result = verdict;
    }
    if (result == BENCH_OK) {
        result = timing_follow_judge(run, &state.follower);
    }
    return result == BENCH_OK ? bench_ok(run) : result;
}

static const struct bench_param params[] = {
    {PARAM_SIZES, "512,4096,16384,65536", "bytes of a read, a,b,c",
     PARAM_NUMBERS(LAYOUT_SECTOR, BYTES_MAX, SIZES_MAX)},
    {"reads", "200", "reads of each size", PARAM_NUMBER(1, 1000000)},
    {"seed", "1", "seed of the random places", PARAM_NUMBER(0, UINT64_MAX)},
    {0},
};

/* The report (sections 13 and 16) expects 150 us, and 100 to 200 us. */
static const struct bench_estimate estimates[] = {
    {SERIES_READ ".4096", ESTIMATE_NONE, 151000, UNIT_NANOSECOND,
     "ssd2014: 150 us by its data sheet, plus submission, interrupt and wake-up"},
    {SPAN_SUBMIT ".4096", ESTIMATE_NONE, 300, UNIT_NANOSECOND,
     "a queue, and a timer or the device's registers"},
    {SPAN_INTERRUPT ".4096", ESTIMATE_NONE, 400, UNIT_NANOSECOND,
     "interrupt of the timer, the timer's queue and the disk's"},
    {SPAN_WAKE ".4096", ESTIMATE_NONE, 500, UNIT_NANOSECOND,
     "end of the driver's handler, and the switch from the idle thread"},
    {0},
};

static const struct bench disklatency = {
    .name = BENCH_DISKLATENCY,
    .group = GROUP_DISK,
    .summary = "time of single reads that bypass the cache, by size, split into spans",
    .unit = UNIT_TICK,
    .estimate = "the service time of the disk's data sheet, exact to the tick for a modelled disk, "
                "plus the kernel's submission, interrupt and wake-up",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .estimates = estimates,
    .samples = "reads",
    .relations = "read=submit+device+interrupt+wake ^at",
    .run = run,
};
BENCH_REGISTER(disklatency);
