/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench diskload: 1 to 32 threads read blocks, bypassing the cache (the report, section 16). As in
 * the report each reads its own part of the file in order; with order=random, all read at random
 * places of the whole file. Each thread thinks before every read, for an exponentially distributed
 * time drawn beforehand, or not at all. The disk has at most `depth` requests at once; further
 * threads wait until one is done, and that wait is part of the span `submit`.
 *
 * Data is checked when all threads have ended: of long loads, the last KEPT_MAX reads. Before the
 * measured loads, a short one with four threads is traced.
 */
#include <stdio.h>

#include "bench/disk/names.h"
#include "bench/disk/reads.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/names.h"
#include "kernel/task/locks.h"
#include "kernel/task/session.h"

#define LOADS_MAX      32
#define THREADS_MOST   32
#define TRACED_THREADS 4
#define PRIORITY       10
#define BYTES_MAX      65536
#define READS_MAX      100000 /* largest number of reads of a thread */
#define NAME_MAX       32
#define NS_OF_US       1000
#define KEPT_MAX       16384
/* instructions of a read that the thread waits for, and those that overlap with the disk's time */
#define READ_AROUND    830
#define READ_MEANWHILE 980

enum order { SEQUENTIAL, RANDOM };

struct reader {
    char name[NAME_MAX];
    size_t number; /* number of the thread, from 1 on */
    struct thread *thread;
    uint64_t *sectors; /* first sector of each of its reads */
    int64_t *thinks;   /* think time before each read, in ticks */
};

static struct {
    struct target target;
    struct timing_follower follower;
    struct reader reader[THREADS_MOST];
    struct semaphore room; /* requests that the disk may still take */
    size_t threads;        /* threads of this load */
    size_t each;           /* reads of each thread */
    uint32_t depth;
    struct reads reads;
    uint8_t *memory;
    int64_t *thread; /* for each read: number of its thread */
    int64_t *think;  /* for each read: think time before it */
    uint64_t elapsed;
    bool failed;
} load;

/* ---- a load ---- */

static void reader_main(void *argument)
{
    const struct reader *reader = argument;

    for (size_t i = 0; i < load.each && !load.failed; i++) {
        size_t index;

        if (reader->thinks[i] != 0) {
            thread_sleep_until(tsc_read() + (uint64_t)reader->thinks[i]);
        }
        const uint64_t asked = tsc_read();

        semaphore_wait(&load.room);
        load.failed = !reads_one(&load.reads, asked, reader->sectors[i], &index) || load.failed;
        semaphore_post(&load.room);
        load.thread[index] = (int64_t)reader->number;
        load.think[index] = reader->thinks[i];
    }
}

/* Creates all threads before the first one starts. */
static bool read_all(struct reads *reads, void *argument)
{
    (void)reads;
    (void)argument;
    semaphore_init(&load.room, "free slots of the disk", load.depth);
    for (size_t i = 0; i < load.threads; i++) {
        struct reader *reader = &load.reader[i];

        reader->thread = thread_create(reader->name, PRIORITY, reader_main, reader);
        if (reader->thread == NULL) {
            return false;
        }
    }
    const uint64_t begin = tsc_read();

    for (size_t i = 0; i < load.threads; i++) {
        thread_join(load.reader[i].thread);
    }
    load.elapsed = tsc_read() - begin;
    return true;
}

/* Chooses the blocks and think times of each thread, what is random from a separate stream. */
static void draw(const struct bench_run *run)
{
    const uint64_t bytes = bench_number(run, "bytes");
    const uint64_t seed = bench_number(run, "seed");
    const uint64_t think_us = bench_number(run, PARAM_THINK_US);
    const bool random_order = bench_word(run, "order") == RANDOM;
    const struct draw_law think = {.kind = DRAW_EXPONENTIAL, .low = think_us * NS_OF_US};
    const uint64_t places = load.target.sectors * LAYOUT_SECTOR / bytes;
    /* a small file has no part for each thread */
    const uint64_t part = places < THREADS_MOST ? places : places / THREADS_MOST;

    for (size_t i = 0; i < load.threads; i++) {
        struct draw_random random;

        draw_seed(&random, seed, (load.threads << 8) + i);
        for (size_t k = 0; k < load.each; k++) {
            const uint64_t place =
                random_order ? target_draw(&random, places) : (i * part + k % part) % places;

            load.reader[i].sectors[k] = load.target.first + place * (bytes / LAYOUT_SECTOR);
            load.reader[i].thinks[k] =
                think_us == 0 ? 0 : (int64_t)clock_ticks_from_ns(draw_law(&think, &random));
        }
    }
}

/* Runs a load with this many threads that read `each` blocks. Its reads are in load.reads. */
static enum bench_state run_load(struct bench_run *run, size_t threads, size_t each)
{
    const size_t count = threads * each;
    const uint64_t bytes = bench_number(run, "bytes");

    load.threads = threads;
    load.each = each;
    load.thread = bench_samples(count);
    load.think = bench_samples(count);
    if (!reads_take(&load.reads, &load.target, count, bytes) || load.thread == NULL ||
        load.think == NULL) {
        return bench_error(run, "no memory for samples");
    }
    load.reads.memory = load.memory;
    load.reads.kept = count < KEPT_MAX ? count : KEPT_MAX;
    draw(run);
    return reads_session(run, &load.reads, load.depth, read_all, NULL);
}

/* Call only while nothing is timed or traced. */
static void check_load(void)
{
    if (load.failed) {
        return;
    }
    for (size_t i = load.reads.count > KEPT_MAX ? load.reads.count - KEPT_MAX : 0;
         i < load.reads.count; i++) {
        reads_check(&load.reads, i);
    }
    reads_follow_timing(&load.reads, &load.follower);
}

static enum bench_state run_checked(struct bench_run *run, size_t threads, size_t each)
{
    const enum bench_state result = run_load(run, threads, each);

    if (result == BENCH_OK) {
        check_load();
    }
    return result;
}

/* ---- what is expected ---- */

static uint64_t place_of(size_t thread, size_t read)
{
    return load.reader[thread].sectors[read] - load.target.first;
}

/* States what is expected of each load that neither thinks nor waits for room at the disk. */
static void expect_loads(const struct bench_run *run, const uint64_t *threads, size_t loads)
{
    struct timing_load expected = {
        .each = bench_number(run, "reads"),
        .sectors = bench_number(run, "bytes") / LAYOUT_SECTOR,
        .depth = load.depth,
        .place = place_of,
        .around = READ_AROUND,
        .meanwhile = READ_MEANWHILE,
    };
    char name[NAME_MAX];

    for (size_t i = 0; i < loads && bench_number(run, PARAM_THINK_US) == 0; i++) {
        expected.threads = load.threads = threads[i];
        load.each = expected.each;
        if (threads[i] <= load.depth) {
            draw(run);
            snprintf(name, sizeof(name), CURVE_BLOCK "@%lu", threads[i]);
            timing_expect(run, &load.target, name, &expected, true);
        }
    }
}

/* ---- the run ---- */

/* Runs the traced load first, because many loads use up the ids of threads. */
static enum bench_state run_traced(struct bench_run *run, size_t each)
{
    if (each == 0) {
        return BENCH_OK;
    }
    if (!bench_trace_begin(run)) {
        return BENCH_ERROR;
    }
    const enum bench_state result = run_load(run, TRACED_THREADS, each);
    const bool sent = bench_trace_end(run);

    if (result != BENCH_OK) {
        return result;
    }
    check_load();
    return sent ? BENCH_OK : bench_error(run, "the trace could not be sent");
}

static void publish_of(const struct bench_run *run, const char *of, const char *unit,
                       const int64_t *samples)
{
    char name[NAME_MAX];

    snprintf(name, sizeof(name), "%s.%zu", of, load.threads);
    bench_publish(run, name, unit, samples, load.reads.count);
}

static void publish_load(const struct bench_run *run)
{
    reads_publish(run, &load.reads, load.threads);
    publish_of(run, SERIES_THREAD_OF, UNIT_COUNT, load.thread);
    if (bench_number(run, PARAM_THINK_US) != 0) {
        publish_of(run, SERIES_THINK, UNIT_TICK, load.think);
    }
}

static enum bench_state run_loads(struct bench_run *run, const uint64_t *threads, size_t loads)
{
    const size_t each = bench_number(run, "reads");
    int64_t *curve[] = {bench_samples(loads), bench_samples(loads), bench_samples(loads)};

    if (curve[0] == NULL || curve[1] == NULL || curve[2] == NULL) {
        return bench_error(run, "no memory for samples");
    }
    for (size_t i = 0; i < loads; i++) {
        if (i > 0) {
            task_forget();
        }
        const enum bench_state result = run_checked(run, threads[i], each);

        if (result != BENCH_OK || load.failed) {
            return result;
        }
        publish_load(run);
        curve[0][i] = (int64_t)load.threads;
        curve[1][i] = (int64_t)load.reads.count;
        curve[2][i] = (int64_t)load.elapsed;
    }
    bench_publish(run, CURVE_BLOCK SUFFIX_X, UNIT_COUNT, curve[0], loads);
    bench_publish(run, CURVE_BLOCK SUFFIX_N, UNIT_COUNT, curve[1], loads);
    bench_publish(run, CURVE_BLOCK, UNIT_TICK, curve[2], loads);
    return BENCH_OK;
}

/* Allocates memory for the largest load; all loads use it. */
static bool take_memory(size_t threads, size_t each, uint64_t bytes)
{
    load.memory = bench_memory((threads * each < KEPT_MAX ? threads * each : KEPT_MAX) * bytes);
    for (size_t i = 0; i < threads; i++) {
        struct reader *reader = &load.reader[i];

        reader->number = i + 1;
        snprintf(reader->name, NAME_MAX, "reader %zu", i + 1);
        reader->sectors = bench_memory(each * sizeof(reader->sectors[0]));
        reader->thinks = bench_samples(each);
        if (reader->sectors == NULL || reader->thinks == NULL) {
            return false;
        }
    }
    return load.memory != NULL;
}

static enum bench_state prepare(struct bench_run *run, const uint64_t *threads, size_t loads)
{
    const uint64_t bytes = bench_number(run, "bytes");
    const size_t traced = bench_number(run, "traced");
    size_t most = traced > 0 ? TRACED_THREADS : 1;
    size_t each = bench_number(run, "reads");
    const enum bench_state result = target_find(run, &load.target);

    if (result != BENCH_OK) {
        return result;
    }
    if (bytes % load.target.disk->block_bytes != 0 ||
        bytes / load.target.disk->block_bytes > load.target.disk->blocks_max ||
        bytes / LAYOUT_SECTOR > load.target.sectors) {
        return bench_error(run, "diskload.bytes: disk %s cannot read %lu bytes by one request",
                           load.target.disk->name, bytes);
    }
    for (size_t i = 0; i < loads; i++) {
        most = threads[i] > most ? threads[i] : most;
    }
    each = traced > each ? traced : each;
    load.depth = target_depth(&load.target, bench_number(run, "depth"));
    return take_memory(most, each, bytes)
               ? BENCH_OK
               : bench_error(
                     run,
                     "no memory for %zu reads of %lu bytes: lower diskload.reads, threads or bytes",
                     most * each, bytes);
}

static enum bench_state run(struct bench_run *run)
{
    uint64_t threads[LOADS_MAX];
    const size_t loads = bench_numbers(run, PARAM_THREADS, threads, LOADS_MAX);

    load = (typeof(load)){0};
    enum bench_state result = prepare(run, threads, loads);

    if (result != BENCH_OK) {
        return result;
    }
    reads_publish_missing(run, &load.target);
    expect_loads(run, threads, loads);
    result = run_traced(run, bench_number(run, "traced"));
    if (result == BENCH_OK && !load.failed) {
        result = run_loads(run, threads, loads);
    }
    const enum bench_state verdict = target_judge(run, &load.target);

    if (result == BENCH_OK) {
        result = verdict;
    }
    if (result == BENCH_OK) {
        result = timing_follow_judge(run, &load.follower);
    }
    return result == BENCH_OK ? bench_ok(run) : result;
}

static const struct bench_param params[] = {
    {PARAM_THREADS, "1,2,4,8,16,32", "numbers of threads, a,b,c",
     PARAM_NUMBERS(1, THREADS_MOST, LOADS_MAX)},
    {"reads", "50", "reads of each thread", PARAM_NUMBER(1, READS_MAX)},
    {"order", ORDER_SEQUENTIAL_READ, "order of a thread's reads",
     PARAM_WORD(ORDER_SEQUENTIAL_READ "," ORDER_RANDOM_READ)},
    {"bytes", "4096", "bytes of a read", PARAM_NUMBER(LAYOUT_SECTOR, BYTES_MAX)},
    {"depth", "0", "largest number of requests at the disk; 0: as many as it takes, up to 32",
     PARAM_NUMBER(0, THREADS_MOST)},
    {PARAM_THINK_US, "0", "mean of the exponentially distributed time before each read, in us",
     PARAM_TIME(0, 10000000)},
    {"traced", "8", "reads of each of the four traced threads; 0: no trace", PARAM_NUMBER(0, 1000)},
    {"seed", "1", "seed of the blocks and think times", PARAM_NUMBER(0, UINT64_MAX)},
    {0},
};

static const struct bench diskload = {
    .name = BENCH_DISKLOAD,
    .group = GROUP_DISK,
    .summary = "reads by several threads, in order or at random, bypassing the cache: time of each "
               "read, and time per block",
    .unit = UNIT_TICK,
    .estimate = "time per block: the disk's service time divided by its servers, or by the threads "
                "if these are fewer; with more threads than servers, reads wait for each other",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .relations = "read=submit+device+interrupt+wake",
    .run = run,
};
BENCH_REGISTER(diskload);
