/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench stride: the cost of a load that depends on the previous load, in arrays of several sizes
 * (the table of the measurement report, CSE 221, 2014, section 7.3). Each load is one stride
 * further than the last, and wraps at the end of the array. If the stride is not smaller than the
 * array, every load reads the same place.
 */
#include <stdio.h>

#include "bench/memory/chain.h"
#include "bench/memory/names.h"
#include "kernel/run/names.h"
#include "kernel/run/window.h"

#define KIB        1024ull
#define ARRAY_MIN  (8 * KIB)
#define ARRAYS_MAX 32
#define HOPS       4000
#define HOPS_EXACT 64
#define TRIALS_MAX 1000

/* the report's columns: 4K 8K 16K 64K 256K 512K 2M 4M */
static const uint32_t strides_kib[] = {4, 8, 16, 64, 256, 512, 2048, 4096};
#define STRIDES (sizeof(strides_kib) / sizeof(strides_kib[0]))

struct settings {
    uint64_t hops;
    size_t trials;
};

static void measure_arrays(struct chain_curve *curve, const struct settings *settings,
                           uint64_t stride, const struct window *window)
{
    const struct chain chain = {window->base, stride, 0};

    for (uint64_t bytes = ARRAY_MIN; bytes <= window->bytes; bytes *= 2) {
        const uint64_t places = bytes > stride ? bytes / stride : 1;
        const struct chain_hops hops = {.warm = places, .timed = settings->hops, .places = places};

        chain_by_columns(&chain, places, 1);
        chain_curve_measure(curve, (int64_t)bytes, &chain, &hops);
    }
}

/* Returns false if there is no memory for samples. */
static bool measure_strides(const struct bench_run *run, const struct settings *settings,
                            const struct window *window)
{
    for (size_t i = 0; i < STRIDES; i++) {
        const uint64_t stride = strides_kib[i] * KIB;
        struct chain_curve curve;
        char name[CHAIN_NAME_MAX];

        snprintf(name, sizeof(name), CURVE_STRIDE "%lu", stride);
        if (!chain_curve_create(&curve, name, UNIT_BYTE, ARRAYS_MAX, settings->trials)) {
            return false;
        }
        measure_arrays(&curve, settings, stride, window);
        chain_curve_publish(run, &curve);
    }
    return true;
}

static enum bench_state run(struct bench_run *run)
{
    const uint64_t bytes = bench_number(run, "max_kib") * KIB;
    const struct settings settings = {
        .hops = chain_default(bench_number(run, "hops"), HOPS, HOPS_EXACT),
        .trials = bench_number(run, "trials"),
    };
    const unsigned page = bench_words(run, "page");
    struct window window;
    const enum window_page chosen = (page & 1u << WINDOW_4K) != 0   ? WINDOW_4K
                                    : (page & 1u << WINDOW_2M) != 0 ? WINDOW_2M
                                                                    : WINDOW_1G;
    const uint64_t most = window_bytes_max(chosen);
    const char *why =
        window_open(&window, chosen, WINDOW_WRITE_BACK, most != 0 && most < bytes ? most : bytes);

    if (why != NULL) {
        return bench_skip(run, "pages of %s: %s", window_page_name(chosen), why);
    }
    const bool good = measure_strides(run, &settings, &window);

    window_close(&window);
    return good ? chain_judge(run) : bench_error(run, "no memory for %zu trials", settings.trials);
}

static const struct bench_param params[] = {
    {"max_kib", "16384", "largest array in KiB, limited by the memory", PARAM_NUMBER(8, 1 << 24)},
    {"hops", "0", "loads in a trial; 0: 4000, or 64 without caches", PARAM_NUMBER(0, 1 << 30)},
    {"trials", "9", "trials for each array, each with once and twice as many loads",
     PARAM_NUMBER(1, TRIALS_MAX)},
    {"page", PAGE_NAME_4K, "page size: the smallest of those listed", PARAM_WORDS(CHAIN_PAGES)},
    {0},
};

static const struct bench_estimate estimates[] = {
    {CURVE_STRIDE "4096", 3, 40, UNIT_NANOSECOND,
     "16 MiB, 4096 lines in few sets: L3 or DRAM, plus a page walk"},
    {CURVE_STRIDE "4096@8192", 3, 2, UNIT_NANOSECOND, "2 lines: L1, 4 or 5 cycles"},
    {CURVE_STRIDE "4096@262144", 3, 4, UNIT_NANOSECOND,
     "64 lines in one set of L1, in 8 or more sets of L2: 12 to 16 cycles"},
    {CURVE_STRIDE "4096@2097152", 3, 20, UNIT_NANOSECOND,
     "512 lines, more than their sets in L2 hold: L3"},
    {CURVE_STRIDE "8192", 3, 40, UNIT_NANOSECOND, "2048 lines in half as many sets: the same"},
    {CURVE_STRIDE "16384", 3, 30, UNIT_NANOSECOND,
     "1024 lines: within the second TLB, in few sets of L2"},
    {CURVE_STRIDE "65536", 3, 20, UNIT_NANOSECOND, "256 lines in at most 16 sets of L2: L3"},
    {CURVE_STRIDE "262144", 3, 20, UNIT_NANOSECOND, "64 lines in at most 4 sets of L2: L3"},
    {CURVE_STRIDE "524288", 3, 15, UNIT_NANOSECOND, "32 lines in at most 2 sets of L2: L3"},
    {CURVE_STRIDE "2097152", 3, 2, UNIT_NANOSECOND, "8 lines in one set of 8 ways: L1"},
    {CURVE_STRIDE "4194304", 3, 2, UNIT_NANOSECOND, "4 lines: L1, 4 or 5 cycles"},
    {0},
};

static const struct bench stride = {
    .name = BENCH_STRIDE,
    .group = GROUP_MEMORY,
    .summary = "latency of a load by array size and stride, as in the measurement report",
    .unit = UNIT_TICK,
    .estimate = "3 instructions per hop everywhere; on silicon 2 ns if at most 8 lines are loaded "
                "or the array fits L1, 4 ns within L2, 20 within L3, and 40 to 90 ns for large "
                "arrays with small strides",
    .params = params,
    .estimates = estimates,
    .counted = true,
    .run = run,
};
BENCH_REGISTER(stride);
