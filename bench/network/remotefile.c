/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench remotefile: reads the first bytes of a file page by page, in sequential and in random
 * order, through a page cache that was empty: on the local disk, and from the other end of the
 * network (the report, section 15). The remote disk is a client of NBD; all layers above it are the
 * same.
 */
#include <stdio.h>

#include "bench/disk/names.h"
#include "bench/disk/pages.h"
#include "bench/network/path.h"
#include "kernel/net/nbd_disk.h"
#include "kernel/net/nbd_volume.h"
#include "kernel/run/names.h"
#include "kernel/task/session.h"

#define SIZES_MAX 8
#define KIB       1024
#define KIB_MAX   (4 * KIB * KIB)
#define NAME_MAX  64
#define LOCAL     NET_PATHS /* index for the local disk, after those of the paths */
#define SLOWEST   10        /* a lost segment is sent again only after seconds */

enum order { SEQUENTIAL, RANDOM, ORDERS };

static const char *const order_names[ORDERS] = {ORDER_SEQUENTIAL_READ, ORDER_RANDOM_READ};

static struct {
    struct pages local;
    struct pages remote;
    struct block_volume volume; /* the remote volume */
    uint64_t kib[SIZES_MAX];
    size_t sizes;
    int64_t *ticks[NET_PATHS + 1][SIZES_MAX][ORDERS];
    uint32_t *shuffled; /* page numbers in random order */
    uint64_t seed;
    struct draw_random random;
    const char *none;           /* why the remote machine serves no file; NULL if it does */
    bool any;                   /* a path was measured */
    unsigned way;               /* path that is being measured, or LOCAL */
    struct cache_counts counts; /* counts of the cache on this path */
} state;

static uint64_t pages_of(size_t size)
{
    return state.kib[size] * KIB / FILE_PAGE;
}

static bool read_once(struct pages *pages, size_t size, enum order order)
{
    const uint64_t count = pages_of(size);

    files_drop_cache();
    if (order == RANDOM) {
        target_shuffle(&state.random, state.shuffled, count);
    }
    for (uint64_t i = 0; i < count; i++) {
        struct page_read read;

        if (!pages_read(pages, order == RANDOM ? state.shuffled[i] : i, false, &read)) {
            return false;
        }
        state.ticks[state.way][size][order][i] = read.ticks;
    }
    pages_count(&state.counts);
    return true;
}

/* Reads in the same orders on every path. */
static bool read_all(struct pages *pages, void *argument)
{
    (void)argument;
    state.counts = (struct cache_counts){0};
    draw_seed(&state.random, state.seed, 0);
    for (size_t size = 0; size < state.sizes; size++) {
        for (enum order order = 0; order < ORDERS; order++) {
            if (!read_once(pages, size, order)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- the remote file ---- */

/* Rejects sizes larger than the file. */
static enum bench_state check_sizes(struct bench_run *run, const struct pages *pages)
{
    for (size_t size = 0; size < state.sizes; size++) {
        if (pages_of(size) > pages->count) {
            return bench_error(run, "remotefile.kib: the file %s of %s has only %lu KiB",
                               LAYOUT_BENCH, pages->target.disk->name,
                               pages->count * FILE_PAGE / KIB);
        }
    }
    return BENCH_OK;
}

static enum bench_state read_remote(struct bench_run *run)
{
    struct pages *pages = &state.remote;
    const char *why = nbd_disk_volume(&state.volume);

    *pages = (struct pages){.page = state.local.page, .reads = state.local.reads};
    why = why == NULL ? target_use(&pages->target, &state.volume) : why;
    if (why != NULL) {
        return bench_fail(run, "%s", why);
    }
    pages_options(pages, task_active());
    const enum bench_state result = check_sizes(run, pages);

    return result == BENCH_OK ? pages_in_session(run, pages, read_all, NULL) : result;
}

/* Starts the server on loop-back and pair, whose peer is in this machine. */
static bool serve(enum net_path path)
{
    bool good = true;

    if (path != NET_REMOTE) {
        net_enter();
        good = nbd_serve(nbd_volume_export());
        net_leave();
    }
    return good;
}

static enum bench_state measure(struct bench_run *run, enum net_path path, void *argument)
{
    (void)argument;
    state.way = path;
    if (!serve(path)) {
        return bench_error(run, "no memory for an NBD server");
    }
    const char *why = nbd_disk_begin(LAYOUT_BENCH);

    if (why != NULL && path == NET_REMOTE) {
        state.none = why; /* another machine need not have a server */
        return BENCH_OK;
    }
    if (why != NULL) {
        return bench_fail(run, "%s", why);
    }
    const enum bench_state result = read_remote(run);

    state.any = true;
    nbd_disk_end();
    return result;
}

/* ---- reporting ---- */

static const char *way_name(unsigned way)
{
    return way == LOCAL ? PATH_LOCAL : path_name((enum net_path)way);
}

static void publish_one(const struct bench_run *run, unsigned way, size_t size, enum order order)
{
    const int64_t *ticks = state.ticks[way][size][order];
    const uint64_t count = pages_of(size);
    int64_t total = 0;
    char name[NAME_MAX];

    for (uint64_t i = 0; i < count; i++) {
        total += ticks[i];
    }
    snprintf(name, sizeof(name), PREFIX_TOTAL "%s.%s.%lu", order_names[order], way_name(way),
             count * FILE_PAGE);
    bench_publish(run, name + sizeof(PREFIX_TOTAL) - 1, UNIT_TICK, ticks, count);
    bench_fact(run, name, UNIT_TICK, total);
}

static void publish(const struct bench_run *run, unsigned way)
{
    for (size_t size = 0; size < state.sizes; size++) {
        for (enum order order = 0; order < ORDERS; order++) {
            publish_one(run, way, size, order);
        }
    }
}

/* Every read goes through the cache, which was empty, so each page must have been read from the
 * disk once. */
static enum bench_state judge_cache(struct bench_run *run, unsigned way)
{
    const struct cache_counts *counts = &state.counts;

    if (counts->reads == state.local.reads && counts->hits == 0 &&
        counts->misses + counts->read_ahead == counts->reads) {
        return BENCH_OK;
    }
    return bench_fail(
        run,
        "%s: after %lu reads of an empty cache, it counts %lu reads and %lu hits, expected no hits",
        way_name(way), state.local.reads, counts->reads, counts->hits);
}

static enum bench_state report(struct bench_run *run, enum net_path path, void *argument)
{
    const struct target *target = &state.remote.target;

    (void)argument;
    if (path == NET_REMOTE && state.none != NULL) {
        bench_absent(run, path_name(path), state.none);
        return BENCH_OK;
    }
    publish(run, path);
    path_checked(target->checked * LAYOUT_SECTOR, target->wrong * LAYOUT_SECTOR);
    if (target->file == 0) {
        return bench_fail(run, "%s: the data cannot be checked: serve a volume made by tare disk",
                          path_name(path));
    }
    return judge_cache(run, path);
}

/* ---- the run ---- */

static enum bench_state take_memory(struct bench_run *run)
{
    uint64_t largest = 0;

    for (size_t size = 0; size < state.sizes; size++) {
        const uint64_t count = pages_of(size);

        largest = count > largest ? count : largest;
        state.local.reads += count * ORDERS;
        for (size_t i = 0; i < (size_t)(NET_PATHS + 1) * ORDERS; i++) {
            int64_t **ticks = &state.ticks[i / ORDERS][size][i % ORDERS];

            *ticks = bench_samples(count);
            if (*ticks == NULL) {
                return bench_error(run, "no memory for samples");
            }
        }
    }
    state.shuffled = bench_memory(largest * sizeof(state.shuffled[0]));
    return state.shuffled == NULL ? bench_error(run, "no memory for the order of the reads")
                                  : BENCH_OK;
}

static enum bench_state read_local(struct bench_run *run)
{
    enum bench_state result = check_sizes(run, &state.local);

    state.way = LOCAL;
    if (result == BENCH_OK) {
        result = pages_session(run, &state.local, read_all, NULL);
    }
    if (result != BENCH_OK) {
        return result;
    }
    publish(run, LOCAL);
    result = pages_judge(run, &state.local, &state.counts);
    return result == BENCH_OK ? judge_cache(run, LOCAL) : result;
}

static const struct path_estimate pair_estimates[] = {
    {.series = ORDER_SEQUENTIAL_READ ".%s.262144",
     .frames = 2,
     .bytes = 4500,
     .link = 33500,
     .nic = 40000,
     .delays = 1},
    {.series = ORDER_RANDOM_READ ".%s.262144",
     .frames = 2,
     .bytes = 4500,
     .link = 33500,
     .nic = 40000,
     .delays = 1},
    {0},
};

static enum bench_state run(struct bench_run *run)
{
    state = (typeof(state)){.seed = bench_number(run, "seed")};
    state.sizes = bench_numbers(run, PARAM_KIB, state.kib, SIZES_MAX);
    enum bench_state result = pages_find(run, &state.local);

    result = result == BENCH_OK ? take_memory(run) : result;
    result = result == BENCH_OK ? read_local(run) : result;
    if (result != BENCH_OK) {
        return result;
    }
    const struct path_job job = {
        .estimates = pair_estimates,
        .measure = measure,
        .report = report,
        .samples = state.local.reads * SLOWEST,
        .no_services = true,
    };

    result = paths_run(run, &job);
    return result == BENCH_OK && !state.any ? bench_skip(run, "%s", state.none) : result;
}

static const struct bench_param params[] = {
    {PARAM_PATHS, PATH_PAIR "," PATH_REMOTE, "paths to measure, a,b,c", PARAM_WORDS(PATHS)},
    PATH_PARAM_RECEIVE,
    {PARAM_KIB, "64,256", "KiB to read from the start of the file, a,b,c",
     PARAM_NUMBERS(FILE_PAGE / KIB, KIB_MAX, SIZES_MAX)},
    {"seed", "1", "seed of the random order", PARAM_NUMBER(0, UINT64_MAX)},
    {0},
};

/* The report (section 15) expects 50 times the local read, for a wireless network and SSHFS. */
static const struct bench_estimate estimates[] = {
    {ORDER_SEQUENTIAL_READ "." PATH_REMOTE ".262144", ESTIMATE_NONE, 100000, UNIT_NANOSECOND,
     "1 Gbit/s: 38 us for 4112 bytes and the request, 25 us for stacks, server and page cache, and "
     "30 us for two NICs and their interrupts; the report: 50 x local"},
    {0},
};

static const struct bench remotefile = {
    .name = BENCH_REMOTEFILE,
    .group = GROUP_NETWORK,
    .summary = "time of reads of a remote file through the page cache, and of the same file on the "
               "local disk",
    .unit = UNIT_TICK,
    .estimate = "a request and 4 KiB back over the link: at 1 Gbit/s less than a read of a local "
                "SSD; sequential and random equal, because the server has its bytes in memory",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .estimates = estimates,
    .run = run,
};
BENCH_REGISTER(remotefile);
