/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench filecache: finds the size of the page cache from outside (the report, section 13). A file
 * is read backwards twice, and the second time is timed. If the file fits, all its pages are found.
 * If it is one page larger, policy lru has always just evicted the page that comes next.
 *
 * Unless the plan sets sizes, files are a quarter of the cache, half of it, one page less than the
 * cache, the cache, one page more, and twice the cache.
 */
#include <stdio.h>

#include "bench/disk/names.h"
#include "bench/disk/pages.h"
#include "kernel/run/names.h"

#define SIZES_MAX  12
#define CACHES_MAX 8
#define KIB        1024
#define KIB_MAX    (4 * KIB * KIB)
#define NAME_MAX   64
#define KEPT_MAX   1000 /* number of hits kept, and of misses */

enum count { READS, HITS, MISSES, READ_AHEAD, EVICTIONS, COUNTS };
static const char *const count_names[COUNTS] = {SERIES_READS, SERIES_HITS, SERIES_MISSES,
                                                SERIES_READ_AHEAD, SERIES_EVICTIONS};

/* one file, read through one cache */
struct point {
    uint64_t pages;
    int64_t *ticks;         /* ticks of each read of the second time */
    int64_t counts[COUNTS]; /* counts of the cache over both times */
};

struct curve {
    uint64_t cache_kib;
    struct point point[SIZES_MAX];
};

static struct {
    struct pages pages;
    uint64_t cache_kib[CACHES_MAX];
    size_t caches;
    uint64_t file_kib[SIZES_MAX];
    size_t files; /* 0: chosen by the size of the cache */
    struct curve curve[CACHES_MAX];
    struct cache_counts counts; /* counts over all curves */
    /* reads of the second times: pages that were in the cache, and pages that were not */
    int64_t *kept[2];
    size_t kept_count[2];
} state;

/* ---- in the session ---- */

static void keep(const struct page_read *read)
{
    const size_t which = read->on_disk ? 1 : 0;

    if (state.kept_count[which] < KEPT_MAX) {
        state.kept[which][state.kept_count[which]++] = read->ticks;
    }
}

static bool read_backwards(struct pages *pages, struct point *point, bool timed)
{
    for (uint64_t i = 0; i < point->pages; i++) {
        struct page_read read;

        if (!pages_read(pages, point->pages - 1 - i, false, &read)) {
            return false;
        }
        if (timed) {
            point->ticks[i] = read.ticks;
            keep(&read);
        }
    }
    return true;
}

static void keep_counts(struct point *point)
{
    struct cache_counts counted = {0};

    pages_count(&counted);
    const uint64_t counts[COUNTS] = {counted.reads, counted.hits, counted.misses,
                                     counted.read_ahead, counted.evictions};

    for (enum count i = 0; i < COUNTS; i++) {
        point->counts[i] = (int64_t)counts[i];
    }
    pages_count(&state.counts);
}

static bool read_curve(struct pages *pages, void *argument)
{
    struct curve *curve = argument;

    for (size_t i = 0; i < SIZES_MAX && curve->point[i].pages != 0; i++) {
        struct point *point = &curve->point[i];

        files_drop_cache();
        if (!read_backwards(pages, point, false) || !read_backwards(pages, point, true)) {
            return false;
        }
        keep_counts(point);
    }
    return true;
}

/* ---- what is expected ---- */

static uint64_t pages_expected;

static uint64_t place_of(size_t thread, size_t read)
{
    (void)thread;
    return (pages_expected - 1 - read) * (FILE_PAGE / LAYOUT_SECTOR);
}

/* Misses occur in files that are larger than the cache. */
static void expect_misses(const struct bench_run *run)
{
    for (size_t i = 0; i < SIZES_MAX; i++) {
        const uint64_t pages = state.curve[0].point[i].pages;

        pages_expected = pages > pages_expected ? pages : pages_expected;
    }
    pages_expect(run, &state.pages, SERIES_MISS,
                 pages_expected < KEPT_MAX ? pages_expected : KEPT_MAX, place_of, PAGES_CACHED);
}

/* ---- the run ---- */

static size_t default_files(uint64_t cache, uint64_t *pages)
{
    const uint64_t sizes[] = {cache / 4, cache / 2, cache - 1, cache, cache + 1, 2 * cache};
    uint64_t before = 0;
    size_t count = 0;

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        if (sizes[i] > before) {
            before = sizes[i];
            pages[count++] = sizes[i];
        }
    }
    return count;
}

static bool take_point(struct point *point, uint64_t pages)
{
    point->pages = pages;
    point->ticks = bench_samples(pages);
    return point->ticks != NULL;
}

static enum bench_state too_small(struct bench_run *run, uint64_t pages, uint64_t cache_kib)
{
    const uint64_t kib = pages * FILE_PAGE / KIB;
    const uint64_t there = state.pages.count * FILE_PAGE / KIB;

    if (state.files > 0) {
        return bench_error(run,
                           "filecache.kib: the file %s has only %lu KiB, expected at least %lu KiB",
                           LAYOUT_BENCH, there, kib);
    }
    return bench_skip(run,
                      "the file %s has %lu KiB, but a cache of %lu KiB needs a file of %lu KiB: "
                      "set disk.mib, cache.mib or filecache.kib",
                      LAYOUT_BENCH, there, cache_kib, kib);
}

static enum bench_state prepare_curve(struct bench_run *run, struct curve *curve, uint64_t kib)
{
    uint64_t pages[SIZES_MAX];
    size_t count = default_files(kib * KIB / FILE_PAGE, pages);

    curve->cache_kib = kib;
    if (state.files > 0) {
        count = state.files;
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t wanted = state.files > 0 ? state.file_kib[i] * KIB / FILE_PAGE : pages[i];

        if (wanted > state.pages.count) {
            return too_small(run, wanted, kib);
        }
        state.pages.reads += 2 * wanted;
        if (!take_point(&curve->point[i], wanted)) {
            return bench_error(run, "no memory for samples");
        }
    }
    return BENCH_OK;
}

static enum bench_state prepare(struct bench_run *run)
{
    enum bench_state result = pages_find(run, &state.pages);

    state.caches = bench_numbers(run, "caches", state.cache_kib, CACHES_MAX);
    state.files = bench_numbers(run, PARAM_KIB, state.file_kib, SIZES_MAX);
    if (result == BENCH_OK && state.caches == 0) {
        state.cache_kib[state.caches++] = state.pages.options.cache_bytes / KIB;
    }
    for (size_t i = 0; i < state.caches && result == BENCH_OK; i++) {
        result = prepare_curve(run, &state.curve[i], state.cache_kib[i]);
    }
    state.kept[0] = bench_samples(KEPT_MAX);
    state.kept[1] = bench_samples(KEPT_MAX);
    return result == BENCH_OK && (state.kept[0] == NULL || state.kept[1] == NULL)
               ? bench_error(run, "no memory for samples")
               : result;
}

/* Publishes a curve; `before` is the prefix for all caches but the first. */
static void publish_curve(const struct bench_run *run, const struct curve *curve,
                          const char *before)
{
    char name[NAME_MAX];

    for (size_t i = 0; i < SIZES_MAX && curve->point[i].pages != 0; i++) {
        const struct point *point = &curve->point[i];
        const uint64_t bytes = point->pages * FILE_PAGE;

        snprintf(name, sizeof(name), "%s" SERIES_BLOCK ".%lu", before, bytes);
        bench_publish(run, name, UNIT_TICK, point->ticks, point->pages);
        for (enum count k = 0; k < COUNTS; k++) {
            snprintf(name, sizeof(name), "%s%s.%lu", before, count_names[k], bytes);
            bench_publish(run, name, UNIT_COUNT, &point->counts[k], 1);
        }
    }
}

static void publish(const struct bench_run *run)
{
    char before[NAME_MAX] = "";

    for (size_t i = 0; i < state.caches; i++) {
        if (i > 0) {
            snprintf(before, sizeof(before), PREFIX_CACHE "%lu.", state.curve[i].cache_kib * KIB);
        }
        publish_curve(run, &state.curve[i], before);
    }
    bench_publish(run, SERIES_HIT, UNIT_TICK, state.kept[0], state.kept_count[0]);
    bench_publish(run, SERIES_MISS, UNIT_TICK, state.kept[1], state.kept_count[1]);
    bench_fact(run, FACT_CACHE_BYTES, UNIT_BYTE, (int64_t)(state.cache_kib[0] * KIB));
}

static enum bench_state run(struct bench_run *run)
{
    state = (typeof(state)){0};
    enum bench_state result = prepare(run);
    uint64_t reads = 0;

    pages_expected = 0;
    if (result == BENCH_OK) {
        expect_misses(run);
    }
    for (size_t i = 0; i < state.caches && result == BENCH_OK; i++) {
        state.pages.options.cache_bytes = state.cache_kib[i] * KIB;
        result = pages_session(run, &state.pages, read_curve, &state.curve[i]);
        for (size_t k = 0; k < SIZES_MAX; k++) {
            reads += 2 * state.curve[i].point[k].pages;
        }
    }
    if (result != BENCH_OK) {
        return result;
    }
    publish(run);
    result = pages_judge(run, &state.pages, &state.counts);
    if (result == BENCH_OK && state.counts.reads != reads) {
        return bench_fail(run, "the page cache counts %lu reads, expected %lu", state.counts.reads,
                          reads);
    }
    return result == BENCH_OK ? bench_ok(run) : result;
}

static const struct bench_param params[] = {
    {"caches", "", "sizes of the page cache in KiB, a,b,c; empty: cache.mib",
     PARAM_NUMBERS(FILE_PAGE / KIB, KIB_MAX, CACHES_MAX)},
    {PARAM_KIB, "", "sizes of the file in KiB, a,b,c; empty: chosen by the size of the cache",
     PARAM_NUMBERS(FILE_PAGE / KIB, KIB_MAX, SIZES_MAX)},
    {0},
};

/* The report (section 13) expects 150 us without the cache and measured 1.1 us with it. */
static const struct bench_estimate estimates[] = {
    {SERIES_HIT, 900, 1000, UNIT_NANOSECOND, "a look-up, 512 words copied; the report: 1.1 us"},
    {0},
};

static const struct bench filecache = {
    .name = BENCH_FILECACHE,
    .group = GROUP_DISK,
    .summary = "finds the size of the page cache: time per block of a file that is read twice, by "
               "its size",
    .unit = UNIT_TICK,
    .estimate = "up to the size of the cache a look-up and a copy; for larger files the disk's "
                "time, with lru for each block, with 2q for a growing part of them",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .estimates = estimates,
    .relations = "hit<miss",
    .run = run,
};
BENCH_REGISTER(filecache);
