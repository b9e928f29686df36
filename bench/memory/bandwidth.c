/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench bandwidth: how fast one processor moves bytes, by operation, instruction set and size, from
 * arrays that fit the first cache to arrays that fit none.
 *
 * Curves OPERATION.SET (tools/run/curves.h): x is the bytes of the array; a repetition is one pass
 * over it. A pass of a copy reads x bytes and writes x bytes, and counts as x bytes copied. What a
 * write has to fetch first, and what returns to memory later, is not counted. Before an array is
 * timed, two passes have gone over it. Instruction sets that the processor lacks are absent.
 *
 * Not subtracted: two stamps, about 40 cycles in each timed piece of piece_ticks, and the loop with
 * its branch, 3 of at least 11 instructions.
 */
#include <stddef.h>
#include <string.h>

#include "bench/memory/kernels.h"
#include "bench/memory/names.h"
#include "kernel/cpu/cache.h"
#include "kernel/cpu/names.h"
#include "kernel/cpu/simd.h"
#include "kernel/plan/plan.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/run/window.h"

#define KIB        1024u
#define POINTS_MAX 24
#define PASSES_MAX 100000
/* step between sizes in exact mode, where they differ only in their instructions */
#define COUNTED_STEP   8
#define COUNTED_KIB    256
#define COUNTED_PASSES 2
#define UNKNOWN_KIB    (128u * KIB) /* if CPUID reports no cache */
/* An array this many times as large as the largest cache gains nothing from what the cache holds.
 */
#define CACHES_BEYOND 4
#define FROM_MARK     0x7461726562616e64ull

struct stream_kernel {
    const char *curve;
    const char *x;
    const char *n;
    const char *operation;
    const char *set;
    enum simd_level level;
    memory_stream *stream;
};

#define KERNEL(operation, set, level, stream)                                                      \
    {                                                                                              \
        operation "." set, operation "." set SUFFIX_X, operation "." set SUFFIX_N, operation, set, \
            level, stream                                                                          \
    }

static const struct stream_kernel kernels[] = {
    KERNEL(OPERATION_READ, SET_REP, SIMD_NONE, memory_read_rep),
    KERNEL(OPERATION_READ, SET_64, SIMD_NONE, memory_read_64),
    KERNEL(OPERATION_READ, SIMD_NAME_SSE, SIMD_SSE, memory_read_sse),
    KERNEL(OPERATION_READ, SIMD_NAME_AVX2, SIMD_AVX2, memory_read_avx2),
    KERNEL(OPERATION_READ, SIMD_NAME_AVX512, SIMD_AVX512, memory_read_avx512),
    KERNEL(OPERATION_WRITE, SET_REP, SIMD_NONE, memory_write_rep),
    KERNEL(OPERATION_WRITE, SET_64, SIMD_NONE, memory_write_64),
    KERNEL(OPERATION_WRITE, SIMD_NAME_SSE, SIMD_SSE, memory_write_sse),
    KERNEL(OPERATION_WRITE, SIMD_NAME_AVX2, SIMD_AVX2, memory_write_avx2),
    KERNEL(OPERATION_WRITE, SIMD_NAME_AVX512, SIMD_AVX512, memory_write_avx512),
    KERNEL(OPERATION_COPY, SET_REP, SIMD_NONE, memory_copy_rep),
    KERNEL(OPERATION_COPY, SET_64, SIMD_NONE, memory_copy_64),
    KERNEL(OPERATION_COPY, SIMD_NAME_SSE, SIMD_SSE, memory_copy_sse),
    KERNEL(OPERATION_COPY, SIMD_NAME_AVX2, SIMD_AVX2, memory_copy_avx2),
    KERNEL(OPERATION_COPY, SIMD_NAME_AVX512, SIMD_AVX512, memory_copy_avx512),
    KERNEL(OPERATION_WRITE_NT, SET_64, SIMD_NONE, memory_write_64_nt),
    KERNEL(OPERATION_WRITE_NT, SIMD_NAME_SSE, SIMD_SSE, memory_write_sse_nt),
    KERNEL(OPERATION_WRITE_NT, SIMD_NAME_AVX2, SIMD_AVX2, memory_write_avx2_nt),
    KERNEL(OPERATION_WRITE_NT, SIMD_NAME_AVX512, SIMD_AVX512, memory_write_avx512_nt),
    KERNEL(OPERATION_COPY_NT, SIMD_NAME_SSE, SIMD_SSE, memory_copy_sse_nt),
    KERNEL(OPERATION_COPY_NT, SIMD_NAME_AVX2, SIMD_AVX2, memory_copy_avx2_nt),
    KERNEL(OPERATION_COPY_NT, SIMD_NAME_AVX512, SIMD_AVX512, memory_copy_avx512_nt),
};

/* all operations and sets of the kernels */
#define OPERATIONS                                                               \
    OPERATION_READ "," OPERATION_WRITE "," OPERATION_COPY "," OPERATION_WRITE_NT \
                   "," OPERATION_COPY_NT
#define SETS SET_REP "," SET_64 "," SIMD_NAME_SSE "," SIMD_NAME_AVX2 "," SIMD_NAME_AVX512

#define KERNEL_COUNT (sizeof(kernels) / sizeof(kernels[0]))

static int64_t sizes[POINTS_MAX];
static size_t points;
static struct window window;
static const char *not_moved; /* the last curve whose array was not moved completely; NULL: none */

static bool is_wanted(const struct bench_run *run, const struct stream_kernel *kernel)
{
    return plan_list_holds(bench_text(run, "operations"), kernel->operation) &&
           plan_list_holds(bench_text(run, "sets"), kernel->set);
}

/* Returns the plan's largest array, or a size that no cache holds; at most half of the memory,
 * because a copy has two arrays. */
static uint64_t largest_bytes(const struct bench_run *run, enum window_page page)
{
    const uint64_t room = window_bytes_max(page) / 2;
    uint64_t bytes = bench_number(run, "max_kib") * KIB;

    if (bytes == 0) {
        struct cpu_identity identity;

        cpu_identify(cpuid_instruction, &identity);
        const uint64_t cache = caches_largest(cpuid_instruction, &identity);

        bytes = !bench_has_caches() ? COUNTED_KIB * KIB
                : cache != 0        ? CACHES_BEYOND * cache
                                    : UNKNOWN_KIB * KIB;
    }
    return bytes < room ? bytes : room;
}

static void choose_sizes(uint64_t least, uint64_t largest)
{
    const unsigned step = bench_has_caches() ? 2 : COUNTED_STEP;
    uint64_t bytes = least;

    for (points = 0; points < POINTS_MAX && bytes <= largest; bytes *= step) {
        sizes[points++] = (int64_t)bytes;
    }
}

/* Opens large pages if there are any: the cost of translations belongs to other benches. */
static const char *open_memory(struct bench_run *run)
{
    static const enum window_page pages[] = {WINDOW_2M, WINDOW_4K};
    const size_t first = bench_number(run, "large_pages") != 0 ? 0 : 1;
    const char *why = NULL;

    for (size_t i = first; i < sizeof(pages) / sizeof(pages[0]); i++) {
        choose_sizes(bench_number(run, "min_kib") * KIB, largest_bytes(run, pages[i]));
        if (points == 0) {
            why = "no memory for the smallest array; lower bandwidth.min_kib";
            continue;
        }
        why = window_open(&window, pages[i], WINDOW_WRITE_BACK, 2 * (size_t)sizes[points - 1]);
        if (why == NULL) {
            bench_fact(run, "page_bytes", UNIT_BYTE, (int64_t)window_page_bytes(pages[i]));
            return NULL;
        }
        bench_absent(run, window_page_name(pages[i]), why);
    }
    return why;
}

/* Returns the number of passes that take about piece_ticks, judged by the second pass; the first
 * one warms up. */
static uint64_t choose_passes(const struct bench_run *run, memory_stream *stream, uint64_t bytes)
{
    char *from = window.base;

    stream(from + bytes, from, bytes, 1);
    const uint64_t ticks = stream(from + bytes, from, bytes, 1);

    if (!bench_has_caches()) {
        return COUNTED_PASSES;
    }
    const uint64_t passes = bench_number(run, "piece_ticks") / (ticks > 0 ? ticks : 1);

    return passes < 1 ? 1 : passes > PASSES_MAX ? PASSES_MAX : passes;
}

/* Makes the last word of the array to write differ from what will be written there. */
static void mark_end(uint64_t bytes)
{
    uint64_t *from = window.base;

    from[bytes / sizeof(*from) - 1] = FROM_MARK;
    from[2 * bytes / sizeof(*from) - 1] = 0;
}

/* A write leaves all ones, a copy the word that was read. */
static bool reached_end(const struct stream_kernel *kernel, uint64_t bytes)
{
    const uint64_t *from = window.base;
    const uint64_t last = from[2 * bytes / sizeof(*from) - 1];

    if (strncmp(kernel->operation, OPERATION_READ, strlen(OPERATION_READ)) == 0) {
        return last == 0;
    }
    return last == (strncmp(kernel->operation, OPERATION_COPY, strlen(OPERATION_COPY)) == 0
                        ? FROM_MARK
                        : UINT64_MAX);
}

/* Returns false if there is no memory. */
static bool measure(const struct bench_run *run, const struct stream_kernel *kernel)
{
    const size_t trials = bench_number(run, "trials");
    int64_t *passes = bench_samples(points);
    int64_t *ticks = bench_samples(points * trials);
    char *from = window.base;

    if (passes == NULL || ticks == NULL) {
        return false;
    }
    for (size_t i = 0; i < points; i++) {
        const uint64_t bytes = (uint64_t)sizes[i];

        passes[i] = (int64_t)choose_passes(run, kernel->stream, bytes);
        mark_end(bytes);
        for (size_t k = 0; k < trials; k++) {
            ticks[i * trials + k] =
                (int64_t)kernel->stream(from + bytes, from, bytes, (uint64_t)passes[i]);
        }
        not_moved = reached_end(kernel, bytes) ? not_moved : kernel->curve;
    }
    bench_publish(run, kernel->x, UNIT_BYTE, sizes, points);
    bench_publish(run, kernel->n, UNIT_COUNT, passes, points);
    bench_publish(run, kernel->curve, UNIT_TICK, ticks, points * trials);
    return true;
}

static bool measure_level(const struct bench_run *run, const struct stream_kernel *kernel,
                          const char *stopped)
{
    struct simd_state before;
    const char *why = stopped != NULL ? stopped : simd_enable(kernel->level, &before);

    if (why != NULL) {
        bench_absent(run, kernel->curve, why);
        return true;
    }
    const bool good = measure(run, kernel);

    simd_restore(&before);
    return good;
}

static size_t count_wanted(const struct bench_run *run)
{
    size_t wanted = 0;

    for (size_t i = 0; i < KERNEL_COUNT; i++) {
        wanted += is_wanted(run, &kernels[i]) ? 1 : 0;
    }
    return wanted;
}

/* Narrow registers come before wide ones: some processors lower their clock for wide ones and keep
 * it low for a while (Intel's optimization manual, "Frequency licenses" of Skylake servers). */
static bool measure_all(const struct bench_run *run, size_t wanted)
{
    size_t done = 0;

    for (unsigned level = 0; level < SIMD_LEVELS; level++) {
        for (size_t i = 0; i < KERNEL_COUNT; i++) {
            if (kernels[i].level != level || !is_wanted(run, &kernels[i])) {
                continue;
            }
            if (!measure_level(run, &kernels[i], bench_stopped(run, done++, wanted))) {
                return false;
            }
        }
    }
    return true;
}

static enum bench_state run(struct bench_run *run)
{
    const char *why = open_memory(run);

    if (why != NULL) {
        return bench_skip(run, "%s", why);
    }
    not_moved = NULL;
    const size_t wanted = count_wanted(run);
    const bool good = measure_all(run, wanted);

    window_close(&window);
    if (!good) {
        return bench_error(run, "no memory for samples");
    }
    if (not_moved != NULL) {
        return bench_fail(
            run, "%s: the last word of its array does not have the value that the operation writes",
            not_moved);
    }
    return wanted > 0
               ? bench_ok(run)
               : bench_error(
                     run,
                     "no operation of bandwidth.operations exists with a set of bandwidth.sets");
}

static const struct bench_param params[] = {
    {"min_kib", "4", "smallest array in KiB; the others are twice, four times, ... as large",
     PARAM_NUMBER(1, 1u << 20)},
    {"large_pages", "1", "1: pages of 2 MiB if there are any; 0: pages of 4 KiB",
     PARAM_NUMBER(0, 1)},
    {"max_kib", "0", "largest array in KiB; 0: four times the largest cache, or 256 without caches",
     PARAM_NUMBER(0, 64u << 20)},
    {"operations", OPERATIONS, "operations to measure, a,b,c", PARAM_WORDS(OPERATIONS)},
    {"sets", SETS, "instruction sets to measure, a,b,c", PARAM_WORDS(SETS)},
    {"trials", "3", "trials for each size", PARAM_NUMBER(1, 1000)},
    {"piece_ticks", "500000",
     "least length of a timed piece, in ticks; a single pass may be longer",
     PARAM_NUMBER(1, 1000000000)},
    {0},
};

static const struct bench_estimate estimates[] = {
    {OPERATION_READ "." SET_64 "@4096", 546, ESTIMATE_NONE, UNIT_CYCLE,
     "512 loads, 3 instructions for each 512 bytes, and the two stamps"},
    {OPERATION_READ "." SIMD_NAME_SSE "@4096", 290, ESTIMATE_NONE, UNIT_CYCLE,
     "256 loads, 3 instructions for each 512 bytes, and the two stamps"},
    {OPERATION_WRITE "." SET_64 "@4096", 546, ESTIMATE_NONE, UNIT_CYCLE,
     "512 stores, 3 instructions for each 512 bytes, and the two stamps"},
    {OPERATION_COPY "." SET_64 "@4096", 1070, ESTIMATE_NONE, UNIT_CYCLE,
     "512 loads and stores, 4 instructions for each 512 bytes, and the two stamps"},
    {OPERATION_READ "." SET_REP, ESTIMATE_NONE, 8000, UNIT_MB_PER_S,
     "largest array: REP LODS is not among the fast string operations, 2 cycles or more for 8 "
     "bytes; the report estimated 20000 and found 22213"},
    {OPERATION_WRITE "." SET_REP, ESTIMATE_NONE, 10000, UNIT_MB_PER_S,
     "largest array: REP STOS claims whole lines without fetching them; the report estimated 20000 "
     "and found 19975"},
    {"read.sse", ESTIMATE_NONE, 11000, UNIT_MB_PER_S,
     "largest array: 12 line fill buffers of 64 bytes, 90 ns to memory; the second cache's "
     "prefetcher adds as much again, but a third of it arrives late"},
    {"write.sse", ESTIMATE_NONE, 7000, UNIT_MB_PER_S,
     "largest array: a line is fetched before it is written and is written back later, so writes "
     "reach slightly more than half the rate of reads"},
    {"write_nt.sse", ESTIMATE_NONE, 9000, UNIT_MB_PER_S,
     "largest array: nothing is fetched; 10 write-combining buffers, each in use until memory has "
     "accepted it"},
    {"copy.sse", ESTIMATE_NONE, 5000, UNIT_MB_PER_S,
     "largest array, bytes copied: a read, a fetch and a write-back for each line"},
    {0},
};

static const struct bench bandwidth = {
    .name = BENCH_BANDWIDTH,
    .group = GROUP_MEMORY,
    .summary =
        "bandwidth of reading, writing and copying by one processor, by instruction set and size",
    .unit = UNIT_TICK,
    .estimate =
        "first cache: two loads or one store of the set's width per cycle; memory: one processor "
        "reads 8 to 12 GB/s, writes two thirds of that and copies half of it (a byte copied counts "
        "once); the report: 22.2 GB/s read and 20.0 written, of 25.6 by the data sheet",
    .params = params,
    .estimates = estimates,
    .steady = true,
    .run = run,
};
BENCH_REGISTER(bandwidth);
