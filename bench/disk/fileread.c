/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench fileread: reads the first bytes of a file page by page, in sequential, random and backward
 * order, bypassing the page cache and through an empty page cache (the report, section 14). Each
 * order reads every page once, so all orders read the same blocks.
 */
#include <stdio.h>

#include "bench/disk/names.h"
#include "bench/disk/pages.h"
#include "kernel/run/names.h"

#define SIZES_MAX 12
#define KIB       1024
#define KIB_MAX   (4 * KIB * KIB)
#define NAME_MAX  64

enum order { SEQUENTIAL, RANDOM, BACKWARDS, ORDERS };
enum way { DIRECT, CACHED, WAYS };

static const char *const order_names[ORDERS] = {ORDER_SEQUENTIAL_READ, ORDER_RANDOM_READ,
                                                ORDER_BACKWARDS};
static const char *const way_names[WAYS] = {WAY_DIRECT, WAY_CACHED};

static struct {
    struct pages pages;
    uint64_t kib[SIZES_MAX];
    size_t sizes;
    int64_t *ticks[SIZES_MAX][WAYS][ORDERS];
    uint32_t *shuffled; /* page numbers in random order */
    struct draw_random random;
    uint64_t through; /* number of reads through the cache */
    struct cache_counts counts;
} state;

static uint64_t pages_of(size_t size)
{
    return state.kib[size] * KIB / FILE_PAGE;
}

static uint64_t page_at(enum order order, uint64_t i, uint64_t count)
{
    if (order == RANDOM) {
        return state.shuffled[i];
    }
    return order == SEQUENTIAL ? i : count - 1 - i;
}

static bool read_once(struct pages *pages, size_t size, enum way way, enum order order)
{
    const uint64_t count = pages_of(size);

    files_drop_cache();
    if (order == RANDOM) {
        target_shuffle(&state.random, state.shuffled, count);
    }
    for (uint64_t i = 0; i < count; i++) {
        struct page_read read;

        if (!pages_read(pages, page_at(order, i, count), way == DIRECT, &read)) {
            return false;
        }
        state.ticks[size][way][order][i] = read.ticks;
    }
    state.through += way == CACHED ? count : 0;
    pages_count(&state.counts);
    return true;
}

static bool read_all(struct pages *pages, void *argument)
{
    (void)argument;
    for (size_t size = 0; size < state.sizes; size++) {
        for (enum way way = 0; way < WAYS; way++) {
            for (enum order order = 0; order < ORDERS; order++) {
                if (!read_once(pages, size, way, order)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* ---- what is expected ---- */

static struct {
    enum order order;
    uint64_t count;
} expected;

static uint64_t place_of(size_t thread, size_t read)
{
    (void)thread;
    return page_at(expected.order, read, expected.count) * (FILE_PAGE / LAYOUT_SECTOR);
}

static void expect_all(const struct bench_run *run)
{
    struct draw_random random;
    char name[NAME_MAX];

    draw_seed(&random, bench_number(run, "seed"), 1);
    for (size_t i = 0; i < state.sizes * WAYS * ORDERS; i++) {
        const enum way way = i / ORDERS % WAYS;

        expected.order = i % ORDERS;
        expected.count = pages_of(i / ORDERS / WAYS);
        target_shuffle(&random, state.shuffled, expected.count);
        snprintf(name, sizeof(name), "%s.%s.%lu", order_names[expected.order], way_names[way],
                 expected.count * FILE_PAGE);
        pages_expect(run, &state.pages, name, expected.count, place_of,
                     way == DIRECT ? PAGES_DIRECT : PAGES_CACHED);
    }
}

/* ---- the run ---- */

/* Rejects sizes larger than the file. */
static enum bench_state prepare(struct bench_run *run)
{
    uint64_t largest = 0;
    enum bench_state result = pages_find(run, &state.pages);

    state.sizes = bench_numbers(run, PARAM_KIB, state.kib, SIZES_MAX);
    for (size_t size = 0; result == BENCH_OK && size < state.sizes; size++) {
        const uint64_t count = pages_of(size);

        if (count > state.pages.count) {
            return bench_error(run, "fileread.kib: the file %s has only %lu KiB", LAYOUT_BENCH,
                               state.pages.count * FILE_PAGE / KIB);
        }
        largest = count > largest ? count : largest;
        state.pages.reads += count * WAYS * ORDERS;
        for (size_t i = 0; i < (size_t)WAYS * ORDERS; i++) {
            state.ticks[size][i / ORDERS][i % ORDERS] = bench_samples(count);
            if (state.ticks[size][i / ORDERS][i % ORDERS] == NULL) {
                return bench_error(run, "no memory for samples");
            }
        }
    }
    state.shuffled = bench_memory(largest * sizeof(state.shuffled[0]));
    draw_seed(&state.random, bench_number(run, "seed"), 0);
    return result == BENCH_OK && state.shuffled == NULL
               ? bench_error(run, "no memory for the order of the reads")
               : result;
}

static void publish_one(const struct bench_run *run, size_t size, enum way way, enum order order)
{
    const int64_t *ticks = state.ticks[size][way][order];
    const uint64_t count = pages_of(size);
    int64_t total = 0;
    char name[NAME_MAX];

    for (uint64_t i = 0; i < count; i++) {
        total += ticks[i];
    }
    snprintf(name, sizeof(name), PREFIX_TOTAL "%s.%s.%lu", order_names[order], way_names[way],
             count * FILE_PAGE);
    bench_publish(run, name + sizeof(PREFIX_TOTAL) - 1, UNIT_TICK, ticks, count);
    bench_fact(run, name, UNIT_TICK, total);
}

static void publish(const struct bench_run *run)
{
    for (size_t size = 0; size < state.sizes; size++) {
        for (enum way way = 0; way < WAYS; way++) {
            for (enum order order = 0; order < ORDERS; order++) {
                publish_one(run, size, way, order);
            }
        }
    }
    bench_fact(run, FACT_CACHE_BYTES, UNIT_BYTE, (int64_t)state.pages.options.cache_bytes);
}

static enum bench_state run(struct bench_run *run)
{
    state = (typeof(state)){0};
    enum bench_state result = prepare(run);

    if (result == BENCH_OK) {
        expect_all(run);
        result = pages_session(run, &state.pages, read_all, NULL);
    }
    if (result != BENCH_OK) {
        return result;
    }
    publish(run);
    result = pages_judge(run, &state.pages, &state.counts);
    if (result == BENCH_OK && state.counts.reads != state.through) {
        return bench_fail(run, "the page cache counts %lu reads, expected %lu", state.counts.reads,
                          state.through);
    }
    return result == BENCH_OK ? bench_ok(run) : result;
}

static const struct bench_param params[] = {
    {PARAM_KIB, "64,256,1024", "KiB to read from the start of the file, a,b,c",
     PARAM_NUMBERS(FILE_PAGE / KIB, KIB_MAX, SIZES_MAX)},
    {"seed", "1", "seed of the random order", PARAM_NUMBER(0, UINT64_MAX)},
    {0},
};

static const struct bench fileread = {
    .name = BENCH_FILEREAD,
    .group = GROUP_DISK,
    .summary = "time of reads of a file in three orders, with and without the page cache, by size",
    .unit = UNIT_TICK,
    .estimate = "a read of 4 KiB by the disk's timing model, plus 3 to 5 us for the kernel; the "
                "report: random reads take twice as long as sequential ones",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(fileread);
