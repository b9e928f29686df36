/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Benches disklatency, fileread and diskload under Linux: the same reads as in bench/disk, from a
 * file (host_disk.h), by system calls and threads of Linux on one processor. Series have the same
 * names, so that the difference of two columns is what Linux adds.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "bench/disk/names.h"
#include "kernel/cpu/cpu.h"
#include "kernel/plan/draw.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "tools/linux/host_disk.h"

#define SECTOR       512
#define KIB          1024
#define LIST_MAX     32
#define THREADS_MOST 32
#define NAME_BYTES   64
#define NS_OF_US     1000
#define NS_OF_S      1000000000

/* ---- shared by all of them ---- */

static const char *const no_file =
    "no file to read: add --file PATH; tare disk -o PATH makes one that is checked";
static const char *const inside = "Linux does not show a program what its driver does";

/* Draws a number from 0 to below `limit`, all equally likely. */
static uint64_t draw_place(struct draw_random *random, uint64_t limit)
{
    return (uint64_t)((unsigned __int128)draw_next(random) * limit >> 64);
}

/* Publishes what was read, and judges it. */
static enum bench_state judge(struct bench_run *run, const struct host_disk *disk)
{
    bench_found(run, FOUND_DISK, disk->path);
    bench_found(run, FOUND_DRIVER, "linux");
    bench_found(run, FOUND_VERIFIED, disk->number != 0 ? "yes" : "no");
    bench_fact(run, FACT_VOLUME_SECTORS, UNIT_COUNT, (int64_t)(disk->bytes / SECTOR));
    bench_fact(run, FACT_BLOCK_BYTES, UNIT_BYTE, disk->block);
    bench_fact(run, FACT_CHECKED, UNIT_COUNT, (int64_t)disk->checked);
    bench_fact(run, FACT_WRONG, UNIT_COUNT, (int64_t)disk->wrong);
    return disk->wrong == 0
               ? bench_ok(run)
               : bench_fail(run, "%s: %" PRIu64 " of %" PRIu64 " sectors have wrong contents",
                            disk->path, disk->wrong, disk->checked);
}

static enum bench_state unreadable(struct bench_run *run, const struct host_disk *disk, uint64_t at,
                                   const char *why)
{
    return bench_fail(run, "%s: byte %" PRIu64 " of BENCH.DAT: %s", disk->path, at, why);
}

static void name_of(char name[NAME_BYTES], const char *series, uint64_t of)
{
    snprintf(name, NAME_BYTES, "%s.%" PRIu64, series, of);
}

static void publish(const struct bench_run *run, const char *series, uint64_t of, const char *unit,
                    const int64_t *samples, size_t count)
{
    char name[NAME_BYTES];

    name_of(name, series, of);
    bench_publish(run, name, unit, samples, count);
}

static void publish_missing(const struct bench_run *run)
{
    static const char *const spans[] = {SPAN_SUBMIT, SPAN_DEVICE, SPAN_INTERRUPT, SPAN_WAKE,
                                        SERIES_LAW};

    for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
        bench_absent(run, spans[i], inside);
    }
}

/* ---- disklatency ---- */

static enum bench_state read_size(struct bench_run *run, struct host_disk *disk, uint64_t bytes)
{
    const size_t count = bench_number(run, "reads");
    int64_t *read = bench_samples(count);
    int64_t *sector = bench_samples(count);
    int64_t *at = bench_samples(count);
    uint8_t *buffer = bench_memory(bytes);
    struct draw_random random;

    if (read == NULL || sector == NULL || at == NULL || buffer == NULL) {
        return bench_error(run, "no memory for samples");
    }
    draw_seed(&random, bench_number(run, "seed"), bytes);
    const uint64_t begin = tsc_read_ordered();

    for (size_t i = 0; i < count; i++) {
        const uint64_t place = draw_place(&random, disk->bytes / bytes) * bytes;
        const uint64_t asked = tsc_read_ordered();
        const char *why = host_disk_read(disk, false, place, bytes, buffer);

        read[i] = (int64_t)(tsc_read_ordered() - asked);
        if (why != NULL) {
            return unreadable(run, disk, place, why);
        }
        sector[i] = (int64_t)(place / SECTOR);
        at[i] = (int64_t)(asked - begin);
        host_disk_check(disk, place, bytes, buffer);
    }
    publish(run, SERIES_READ, bytes, UNIT_TICK, read, count);
    publish(run, SERIES_SECTOR, bytes, UNIT_COUNT, sector, count);
    publish(run, SERIES_SUBMITTED, bytes, UNIT_TICK, at, count);
    return BENCH_OK;
}

static enum bench_state run_latency(struct bench_run *run)
{
    struct host_disk *disk = host_disk();
    uint64_t sizes[LIST_MAX];

    if (disk == NULL) {
        return bench_skip(run, "%s", no_file);
    }
    const size_t count = bench_numbers(run, PARAM_SIZES, sizes, LIST_MAX);
    enum bench_state result = BENCH_OK;

    host_disk_begin(disk);
    publish_missing(run);
    for (size_t i = 0; result == BENCH_OK && i < count; i++) {
        if (sizes[i] > disk->bytes || sizes[i] % SECTOR != 0) {
            return bench_error(run, "sizes: %lu exceeds the file, or is not a multiple of 512",
                               sizes[i]);
        }
        if (sizes[i] % disk->block == 0) {
            result = read_size(run, disk, sizes[i]);
            continue;
        }
        char name[NAME_BYTES];

        name_of(name, SERIES_READ, sizes[i]);
        bench_absent(run, name, "the file system reads larger blocks past its cache");
    }
    return result == BENCH_OK ? judge(run, disk) : result;
}

static const struct bench_param latency_params[] = {
    {PARAM_SIZES, "512,4096,16384,65536", "sizes of a read in bytes, a,b,c",
     PARAM_NUMBERS(SECTOR, HOST_DISK_LARGEST, LIST_MAX)},
    {"reads", "200", "number of reads of each size", PARAM_NUMBER(1, 1000000)},
    {"seed", "1", "seed of the random places", PARAM_NUMBER(0, UINT64_MAX)},
    {0},
};

static const struct bench disklatency = {
    .name = BENCH_DISKLATENCY,
    .group = GROUP_DISK,
    .summary = "single reads without Linux's cache (O_DIRECT), by size",
    .unit = UNIT_TICK,
    .estimate = "the device's time, plus a system call, Linux's block layer, an interrupt and a "
                "wake-up",
    .needs = NEED_CLOCK,
    .on_request = true,
    .params = latency_params,
    .run = run_latency,
};
BENCH_REGISTER(disklatency);

/* ---- fileread ---- */

enum order { SEQUENTIAL, RANDOM, BACKWARDS, ORDERS };

static const char *const order_names[ORDERS] = {ORDER_SEQUENTIAL_READ, ORDER_RANDOM_READ,
                                                ORDER_BACKWARDS};

/* Orders all pages at random, each order equally likely (Fisher and Yates). */
static void shuffle(struct draw_random *random, uint32_t *pages, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = draw_place(random, i + 1);

        pages[i] = pages[at];
        pages[at] = (uint32_t)i;
    }
}

static void put_in_order(struct draw_random *random, enum order order, uint32_t *pages,
                         uint64_t count)
{
    if (order == RANDOM) {
        shuffle(random, pages, count);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        pages[i] = (uint32_t)(order == SEQUENTIAL ? i : count - 1 - i);
    }
}

static void publish_pages(const struct bench_run *run, const char *order, bool cached,
                          const int64_t *ticks, uint64_t count)
{
    char name[NAME_BYTES];
    int64_t total = 0;

    for (uint64_t i = 0; i < count; i++) {
        total += ticks[i];
    }
    snprintf(name, sizeof(name), PREFIX_TOTAL "%s.%s.%" PRIu64, order,
             cached ? WAY_CACHED : WAY_DIRECT, count * HOST_DISK_PAGE);
    bench_publish(run, name + sizeof(PREFIX_TOTAL) - 1, UNIT_TICK, ticks, count);
    bench_fact(run, name, UNIT_TICK, total);
}

/* Reads the pages in the order of `pages`: through Linux's page cache if `cached`, otherwise
 * directly from the disk. Make the direct reads first: they make Linux write to the disk what has
 * not been written yet. */
static enum bench_state read_pages(struct bench_run *run, struct host_disk *disk, bool cached,
                                   const uint32_t *pages, int64_t *ticks, uint64_t count)
{
    uint8_t *buffer = bench_memory(HOST_DISK_PAGE);

    if (buffer == NULL) {
        return bench_error(run, "no memory for a page");
    }
    host_disk_drop(disk);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t place = (uint64_t)pages[i] * HOST_DISK_PAGE;
        const uint64_t asked = tsc_read_ordered();
        const char *why = host_disk_read(disk, cached, place, HOST_DISK_PAGE, buffer);

        ticks[i] = (int64_t)(tsc_read_ordered() - asked);
        if (why != NULL) {
            return unreadable(run, disk, place, why);
        }
        host_disk_check(disk, place, HOST_DISK_PAGE, buffer);
    }
    return BENCH_OK;
}

static enum bench_state read_orders(struct bench_run *run, struct host_disk *disk, uint64_t kib,
                                    struct draw_random *random)
{
    const uint64_t count = kib * KIB / HOST_DISK_PAGE;
    uint32_t *pages = bench_memory(count * sizeof(*pages));
    int64_t *ticks = bench_samples(count);
    enum bench_state result = BENCH_OK;

    if (pages == NULL || ticks == NULL) {
        return bench_error(run, "no memory for samples");
    }
    for (size_t i = 0; result == BENCH_OK && i < (size_t)2 * ORDERS; i++) {
        const bool cached = i >= ORDERS;

        put_in_order(random, i % ORDERS, pages, count);
        result = read_pages(run, disk, cached, pages, ticks, count);
        if (result == BENCH_OK) {
            publish_pages(run, order_names[i % ORDERS], cached, ticks, count);
        }
    }
    return result;
}

static enum bench_state run_fileread(struct bench_run *run)
{
    struct host_disk *disk = host_disk();
    struct draw_random random;
    uint64_t kib[LIST_MAX];

    if (disk == NULL) {
        return bench_skip(run, "%s", no_file);
    }
    const size_t count = bench_numbers(run, PARAM_KIB, kib, LIST_MAX);
    enum bench_state result = BENCH_OK;

    host_disk_begin(disk);
    draw_seed(&random, bench_number(run, "seed"), 0);
    for (size_t i = 0; result == BENCH_OK && i < count; i++) {
        result = kib[i] * KIB > disk->bytes
                     ? bench_error(run, "kib: the file has only %" PRIu64 " KiB", disk->bytes / KIB)
                     : read_orders(run, disk, kib[i], &random);
    }
    return result == BENCH_OK ? judge(run, disk) : result;
}

static const struct bench_param fileread_params[] = {
    {PARAM_KIB, "64,256,1024", "how much of the file is read, in KiB, a,b,c",
     PARAM_NUMBERS(HOST_DISK_PAGE / KIB, UINT32_MAX, LIST_MAX)},
    {"seed", "1", "seed of the random order", PARAM_NUMBER(0, UINT64_MAX)},
    {0},
};

static const struct bench fileread = {
    .name = BENCH_FILEREAD,
    .group = GROUP_DISK,
    .summary = "a file read page by page in three orders, directly and through Linux's cache",
    .unit = UNIT_TICK,
    .estimate = "directly, each page is a read of the device; through the cache, Linux reads ahead",
    .needs = NEED_CLOCK,
    .on_request = true,
    .params = fileread_params,
    .run = run_fileread,
};
BENCH_REGISTER(fileread);

/* ---- diskload ---- */

struct reader {
    pthread_t thread;
    size_t number; /* from 1 on */
    struct draw_random random;
};

static struct {
    struct host_disk *disk;
    pthread_rwlock_t gate; /* opened once all threads have been created */
    struct reader reader[THREADS_MOST];
    uint64_t bytes, each, think_ns;
    atomic_size_t next;
    uint8_t *memory;
    int64_t *read, *sector, *at, *thread;
    uint64_t begin;
    const char *_Atomic why; /* first failure */
} load;

static void think(struct draw_random *random)
{
    const struct draw_law law = {.kind = DRAW_EXPONENTIAL, .low = load.think_ns};
    const uint64_t ns = load.think_ns > 0 ? draw_law(&law, random) : 0;
    const struct timespec time = {(time_t)(ns / NS_OF_S), (long)(ns % NS_OF_S)};

    if (ns > 0) {
        nanosleep(&time, NULL);
    }
}

static void *reader_main(void *argument)
{
    struct reader *reader = argument;

    pthread_rwlock_rdlock(&load.gate);
    pthread_rwlock_unlock(&load.gate);
    for (uint64_t i = 0; i < load.each && load.why == NULL; i++) {
        const uint64_t place =
            draw_place(&reader->random, load.disk->bytes / load.bytes) * load.bytes;

        think(&reader->random);
        const size_t index = atomic_fetch_add(&load.next, 1);
        const uint64_t asked = tsc_read_ordered();
        const char *why =
            host_disk_read(load.disk, false, place, load.bytes, load.memory + index * load.bytes);

        load.read[index] = (int64_t)(tsc_read_ordered() - asked);
        load.at[index] = (int64_t)(asked - load.begin);
        load.sector[index] = (int64_t)(place / SECTOR);
        load.thread[index] = (int64_t)reader->number;
        if (why != NULL) {
            load.why = why;
        }
    }
    return NULL;
}

/* Creates the threads, which wait at the gate. Returns how many could be created. */
static size_t make_readers(size_t threads, uint64_t seed)
{
    for (size_t i = 0; i < threads; i++) {
        struct reader *reader = &load.reader[i];

        reader->number = i + 1;
        draw_seed(&reader->random, seed, (threads << 8) + i);
        if (pthread_create(&reader->thread, NULL, reader_main, reader) != 0) {
            return i;
        }
    }
    return threads;
}

/* Opens the gate and waits for all threads to end. Returns false if not all could be created. */
static bool read_all(size_t threads, uint64_t seed, int64_t *elapsed)
{
    pthread_rwlock_wrlock(&load.gate);
    const size_t made = make_readers(threads, seed);

    load.each = made == threads ? load.each : 0;
    load.begin = tsc_read_ordered();
    pthread_rwlock_unlock(&load.gate);
    for (size_t i = 0; i < made; i++) {
        pthread_join(load.reader[i].thread, NULL);
    }
    *elapsed = (int64_t)(tsc_read_ordered() - load.begin);
    return made == threads;
}

static enum bench_state run_threads(struct bench_run *run, size_t threads, int64_t *elapsed)
{
    const size_t count = threads * bench_number(run, "reads");

    load.each = bench_number(run, "reads");
    load.next = 0;
    load.read = bench_samples(count);
    load.sector = bench_samples(count);
    load.at = bench_samples(count);
    load.thread = bench_samples(count);
    load.memory = bench_memory(count * load.bytes);
    if (load.read == NULL || load.sector == NULL || load.at == NULL || load.thread == NULL ||
        load.memory == NULL) {
        return bench_error(run, "no memory for %zu reads of %lu bytes: set fewer reads", count,
                           load.bytes);
    }
    if (!read_all(threads, bench_number(run, "seed"), elapsed)) {
        return bench_error(run, "Linux cannot start %zu threads", threads);
    }
    if (load.why != NULL) {
        return bench_fail(run, "%s: %s", load.disk->path, load.why);
    }
    for (size_t i = 0; i < count; i++) {
        host_disk_check(load.disk, (uint64_t)load.sector[i] * SECTOR, load.bytes,
                        load.memory + i * load.bytes);
    }
    publish(run, SERIES_READ, threads, UNIT_TICK, load.read, count);
    publish(run, SERIES_SECTOR, threads, UNIT_COUNT, load.sector, count);
    publish(run, SERIES_SUBMITTED, threads, UNIT_TICK, load.at, count);
    publish(run, SERIES_THREAD_OF, threads, UNIT_COUNT, load.thread, count);
    return BENCH_OK;
}

static enum bench_state run_loads(struct bench_run *run, const uint64_t *threads, size_t loads)
{
    int64_t *curve[] = {bench_samples(loads), bench_samples(loads), bench_samples(loads)};

    if (curve[0] == NULL || curve[1] == NULL || curve[2] == NULL) {
        return bench_error(run, "no memory for samples");
    }
    for (size_t i = 0; i < loads; i++) {
        const enum bench_state result = run_threads(run, threads[i], &curve[2][i]);

        if (result != BENCH_OK) {
            return result;
        }
        curve[0][i] = (int64_t)threads[i];
        curve[1][i] = (int64_t)(threads[i] * load.each);
    }
    bench_publish(run, CURVE_BLOCK SUFFIX_X, UNIT_COUNT, curve[0], loads);
    bench_publish(run, CURVE_BLOCK SUFFIX_N, UNIT_COUNT, curve[1], loads);
    bench_publish(run, CURVE_BLOCK, UNIT_TICK, curve[2], loads);
    return judge(run, load.disk);
}

static enum bench_state run_diskload(struct bench_run *run)
{
    uint64_t threads[LIST_MAX];

    load = (typeof(load)){.disk = host_disk(), .gate = PTHREAD_RWLOCK_INITIALIZER};
    if (load.disk == NULL) {
        return bench_skip(run, "%s", no_file);
    }
    load.bytes = bench_number(run, "bytes");
    load.think_ns = bench_number(run, PARAM_THINK_US) * NS_OF_US;
    if (load.bytes % load.disk->block != 0 || load.bytes > load.disk->bytes) {
        return bench_error(run, "bytes: %lu exceeds the file, or is not a multiple of %u",
                           load.bytes, load.disk->block);
    }
    const size_t count = bench_numbers(run, PARAM_THREADS, threads, LIST_MAX);

    host_disk_begin(load.disk);
    publish_missing(run);
    return run_loads(run, threads, count);
}

static const struct bench_param diskload_params[] = {
    {PARAM_THREADS, "1,2,4,8,16,32", "numbers of threads, a,b,c",
     PARAM_NUMBERS(1, THREADS_MOST, LIST_MAX)},
    {"reads", "50", "number of reads of each thread", PARAM_NUMBER(1, 100000)},
    {"bytes", "4096", "size of a read in bytes", PARAM_NUMBER(SECTOR, 65536)},
    {PARAM_THINK_US, "0", "mean of the exponential time before each read, in us",
     PARAM_TIME(0, 10000000)},
    {"seed", "1", "seed of the random blocks and think times", PARAM_NUMBER(0, UINT64_MAX)},
    {0},
};

static const struct bench diskload = {
    .name = BENCH_DISKLOAD,
    .group = GROUP_DISK,
    .summary = "random reads of Linux threads past its cache: each read, and time per block",
    .unit = UNIT_TICK,
    .estimate = "time per block falls with the number of threads until the disk, or the one "
                "processor that they share, is always busy",
    .needs = NEED_CLOCK,
    .on_request = true,
    .params = diskload_params,
    .run = run_diskload,
};
BENCH_REGISTER(diskload);
