/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench counters: compares event counters with known kernels, which execute a known number of
 * instructions, loads, branches and splits.
 *
 * Counters are read before and after each repeat of a kernel; kernel `empty` shows what reading
 * them adds. Counts of speculative events differ from the expected counts, and so do those of a
 * processor that counts operations instead of instructions; the purpose of this bench is to show
 * that. Only instructions and branches, which every manual defines as retired, must agree.
 */
#include "bench/counters/kernels.h"

#include <stdio.h>
#include <string.h>

#include "bench/counters/names.h"
#include "kernel/pmu/names.h"
#include "kernel/pmu/pmu.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"

#define NAME_MAX      64
#define EXPECTED_MAX  8
#define SMALL_BYTES   (9u << 12) /* 8 page splits reach into the ninth page */
#define OFF_PER_MILLE 10         /* allowed error of instructions and branches */
/* allowed in addition: reading the rows, and an interrupt of the host */
#define OFF_ALWAYS 256

/* The expected count of an event. */
struct expectation {
    const char *event;
    uint64_t each;
    bool strict; /* the bench fails if the count does not agree */
};

struct kernel {
    const char *name;
    counter_kernel *code;
    struct expectation expected[EXPECTED_MAX]; /* ends with a NULL event */
};

static const struct kernel kernels[] = {
    {"empty", kernel_empty, {{0}}},
    {"adds",
     kernel_adds,
     {{COUNT_INSTRUCTIONS, 10, true}, {COUNT_CYCLES, 8, false}, {COUNT_BRANCHES, 1, true}}},
    {"loads",
     kernel_loads,
     {{COUNT_INSTRUCTIONS, 10, true}, {COUNT_LOADS, 8, false}, {COUNT_BRANCHES, 1, true}}},
    {"stores",
     kernel_stores,
     {{COUNT_INSTRUCTIONS, 10, true}, {COUNT_STORES, 8, false}, {COUNT_BRANCHES, 1, true}}},
    {"branches", kernel_branches, {{COUNT_BRANCHES, 2, true}}},
    {"pages",
     kernel_pages,
     {{COUNT_INSTRUCTIONS, 5, true}, {COUNT_LOADS, 1, false}, {COUNT_DTLB_MISSES, 1, false}}},
    {"line-splits",
     kernel_line_splits,
     {{COUNT_INSTRUCTIONS, 10, true}, {COUNT_LOADS, 8, false}, {COUNT_MISALIGNED, 8, false}}},
    {"page-splits",
     kernel_page_splits,
     {{COUNT_INSTRUCTIONS, 10, true}, {COUNT_LOADS, 8, false}, {COUNT_MISALIGNED, 8, false}}},
    {"segment-loads",
     kernel_segment_loads,
     {{COUNT_INSTRUCTIONS, 10, true}, {COUNT_SEGMENT_LOADS, 8, false}}},
};

/* Returns how many of the bits that kernel_branches branches on are 1. */
static uint64_t count_ones(uint64_t iterations)
{
    uint64_t state = KERNEL_SEED;
    uint64_t ones = 0;

    for (uint64_t i = 0; i < iterations; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ones += state & 1;
    }
    return ones;
}

static void publish_expected(struct bench_run *run, const char *kernel, const char *event,
                             uint64_t value)
{
    char name[NAME_MAX];

    if (bench_counts(event)) {
        snprintf(name, sizeof(name), "%s.%s." FACT_KERNEL_EXPECTED, kernel, event);
        bench_fact(run, name, UNIT_COUNT, (int64_t)value);
    }
}

/* Returns the least that any repeat counted. */
static uint64_t least_count(const struct bench_rows *rows, const char *event)
{
    uint64_t least = UINT64_MAX;

    for (size_t i = 0; i < rows->samples; i++) {
        const uint64_t count = (uint64_t)bench_row_count(rows, i, event);

        least = count < least ? count : least;
    }
    return least;
}

static bool agrees(uint64_t measured, uint64_t expected)
{
    const uint64_t tolerance = expected * OFF_PER_MILLE / 1000 + OFF_ALWAYS;

    return measured + tolerance >= expected && measured <= expected + tolerance;
}

/* Publishes the expected counts. Returns BENCH_FAIL if a count that must agree does not. */
static enum bench_state compare(struct bench_run *run, const struct kernel *kernel,
                                const struct bench_rows *rows, uint64_t iterations)
{
    enum bench_state state = BENCH_OK;

    for (const struct expectation *at = kernel->expected; at->event != NULL; at++) {
        const uint64_t expected = at->each * iterations;

        publish_expected(run, kernel->name, at->event, expected);
        if (!at->strict || !bench_counts(at->event) || state != BENCH_OK) {
            continue;
        }
        const uint64_t least = least_count(rows, at->event);

        if (!agrees(least, expected)) {
            state = bench_fail(run, "%s: counted %lu %s, expected %lu", kernel->name, least,
                               at->event, expected);
        }
    }
    return state;
}

/* kernel_pages always goes round all its pages once: the TLB could hold a part of them. */
static uint64_t iterations_of(const struct bench_run *run, const struct kernel *kernel)
{
    return kernel->code == kernel_pages ? KERNEL_PAGES : bench_number(run, "iterations");
}

static enum bench_state run_kernel(struct bench_run *run, const struct kernel *kernel, void *buffer)
{
    const uint64_t iterations = iterations_of(run, kernel);
    const size_t repeats = bench_number(run, "repeats");
    const struct bench_rows rows = {bench_rows(2 * repeats), repeats, ROWS_PAIRS};

    if (rows.rows == NULL) {
        return bench_error(run, "cannot allocate %zu repeats; lower counters.repeats", repeats);
    }
    kernel->code(iterations, buffer); /* warms code, data and branch predictor */
    for (size_t i = 0; i < repeats; i++) {
        int64_t *begin = bench_row(rows.rows, 2 * i);
        int64_t *end = bench_row(rows.rows, 2 * i + 1);

        reader_read(begin);
        kernel->code(iterations, buffer);
        reader_read(end);
    }
    if (!bench_publish_rows(run, kernel->name, &rows)) {
        return bench_error(run, "cannot allocate %zu repeats; lower counters.repeats", repeats);
    }
    if (kernel->code == kernel_branches) {
        publish_expected(run, kernel->name, COUNT_INSTRUCTIONS,
                         13 * iterations + count_ones(iterations));
        publish_expected(run, kernel->name, COUNT_MISPREDICTS, iterations / 2);
    }
    return compare(run, kernel, &rows, iterations);
}

static enum bench_state run(struct bench_run *run)
{
    const struct pmu *pmu = pmu_state();
    void *small = bench_memory(SMALL_BYTES);
    enum bench_state state = BENCH_OK;

    if (pmu->usable == 0 && (bench_number(run, "virtual") == 0 || !bench_counting())) {
        return bench_skip(run, "%s", pmu->reason);
    }
    if (small == NULL) {
        return bench_error(run, "cannot allocate the buffer of the kernels");
    }
    void *wide = bench_alias_pages(KERNEL_PAGES);

    if (wide == NULL) {
        bench_absent(run, "pages", "no memory for page tables, or the tables are the firmware's");
    }
    bench_fact(run, FACT_ITERATIONS, UNIT_COUNT, (int64_t)bench_number(run, "iterations"));
    bench_fact(run, "pages." FACT_ITERATIONS, UNIT_COUNT, KERNEL_PAGES);
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]) && state != BENCH_ERROR; i++) {
        void *buffer = kernels[i].code == kernel_pages ? wide : small;
        const enum bench_state this_state =
            buffer != NULL ? run_kernel(run, &kernels[i], buffer) : BENCH_OK;

        state = this_state != BENCH_OK ? this_state : state;
    }
    return state == BENCH_OK ? bench_ok(run) : state;
}

static const struct bench_param params[] = {
    {"iterations", "10000", "iterations of each kernel", PARAM_NUMBER(1000, 1000000)},
    {"repeats", "30", "number of times that each kernel runs", PARAM_NUMBER(1, 10000)},
    {"virtual", "0", "1: count instructions by virtual time if no counter works",
     PARAM_NUMBER(0, 1)},
    {0},
};

static const struct bench counters = {
    .name = BENCH_COUNTERS,
    .group = "counters",
    .summary = "known kernels: what was executed, and what the counters counted",
    .unit = UNIT_TICK,
    .estimate = "instructions and branches exact, plus what reading adds; loads and stores within "
                "5 % if they are counted as retired; half of the random branches mispredicted; a "
                "miss for each load from 65536 pages; splits within 5 %",
    .events = COUNT_INSTRUCTIONS "," COUNT_CYCLES "," COUNT_BRANCHES "," COUNT_MISPREDICTS
                                 "," COUNT_LOADS "," COUNT_STORES "," COUNT_DTLB_MISSES
                                 "," COUNT_MISALIGNED "," COUNT_SEGMENT_LOADS,
    .params = params,
    .samples = "repeats",
    .run = run,
};
BENCH_REGISTER(counters);
