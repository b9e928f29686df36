/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/counters/host/counts.h"

#include <math.h>
#include <string.h>

#include "bench/counters/names.h"
#include "bench/interactive/names.h"
#include "kernel/pmu/names.h"
#include "kernel/run/names.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"

static const struct count_ratio ratios[] = {
    {"ipc", "instructions per cycle", COUNT_INSTRUCTIONS, COUNT_CYCLES, 1},
    {"cycles_per_tick", "cycles per tick", COUNT_CYCLES, NULL, 1},
    {"itlb_misses_per_1000_instructions", "itlb-misses per 1000 instructions", COUNT_ITLB_MISSES,
     COUNT_INSTRUCTIONS, 1000},
    {"dtlb_misses_per_1000_instructions", "dtlb-misses per 1000 instructions", COUNT_DTLB_MISSES,
     COUNT_INSTRUCTIONS, 1000},
    {"l1d_misses_per_1000_instructions", "l1d-misses per 1000 instructions", COUNT_L1D_MISSES,
     COUNT_INSTRUCTIONS, 1000},
    {"llc_misses_per_1000_instructions", "llc-misses per 1000 instructions", COUNT_LLC_MISSES,
     COUNT_INSTRUCTIONS, 1000},
    {"mispredicts_per_1000_instructions", "mispredicts per 1000 instructions", COUNT_MISPREDICTS,
     COUNT_INSTRUCTIONS, 1000},
    {"mispredicts_per_100_branches", "mispredicts per 100 branches", COUNT_MISPREDICTS,
     COUNT_BRANCHES, 100},
};

const struct count_ratio *count_ratio_at(size_t index)
{
    return index < sizeof(ratios) / sizeof(ratios[0]) ? &ratios[index] : NULL;
}

/* Returns the quotient of the sums over the samples that both series have. There are at most 2^32
 * samples of 63 bits, so no sum exceeds 128 bits. */
static double quotient(const struct run_series *numerator, const struct run_series *denominator)
{
    struct run_walk walk = {.series = denominator};
    const int64_t *sample = numerator->samples;
    __int128 upper = 0;
    __int128 lower = 0;

    for (size_t r = 0; r < numerator->range_count; r++) {
        const struct run_range range = numerator->ranges[r];

        for (uint32_t i = 0; i < range.count; i++, sample++) {
            int64_t value;

            if (run_walk_to(&walk, range.first + i, &value)) {
                upper += *sample;
                lower += value;
            }
        }
    }
    return lower > 0 && upper >= 0 ? (double)upper / (double)lower : NAN;
}

double count_ratio_of(const struct run_bench *bench, const char *of,
                      const struct count_ratio *ratio)
{
    const struct run_series *numerator = run_find_counts(bench, of, ratio->numerator);
    const struct run_series *denominator = ratio->denominator != NULL
                                               ? run_find_counts(bench, of, ratio->denominator)
                                               : run_find_series(bench, of);

    if (numerator == NULL || denominator == NULL) {
        return NAN;
    }
    if (ratio->denominator == NULL &&
        (denominator->unit == NULL || strcmp(denominator->unit, UNIT_TICK) != 0)) {
        return NAN;
    }
    return ratio->scale * quotient(numerator, denominator);
}

bool bench_counts(const struct run_bench *bench, const char *event)
{
    return SEARCH_ANY(i, bench->series_count,
                      bench->series[i].event != NULL && strcmp(bench->series[i].event, event) == 0);
}

uint32_t count_ratio_elsewhere(const struct run *run, const struct run_bench *bench,
                               const struct count_ratio *ratio)
{
    if (ratio->denominator == NULL || !bench_counts(bench, ratio->numerator) ||
        bench_counts(bench, ratio->denominator)) {
        return 0;
    }
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *other = &run->benches[i];

        if (strcmp(other->name, bench->name) == 0 && bench_counts(other, ratio->denominator)) {
            return other->pass;
        }
    }
    return 0;
}

static const char *text_of(const struct run_series *series, bool of_event)
{
    return of_event ? series->event : series->of;
}

static bool is_first(const struct run_bench *bench, size_t index, bool of_event)
{
    const char *wanted = text_of(&bench->series[index], of_event);

    for (size_t i = 0; i < index; i++) {
        const char *before = text_of(&bench->series[i], of_event);

        if (before != NULL && strcmp(before, wanted) == 0) {
            return false;
        }
    }
    return true;
}

/* Returns the text at `index` among the different texts of count series, in the order of the log.
 */
static const char *different_at(const struct run_bench *bench, size_t index, bool of_event)
{
    for (size_t i = 0; i < bench->series_count; i++) {
        const struct run_series *series = &bench->series[i];

        if (series->event != NULL && strcmp(series->of, SERIES_COUNTED_AT) != 0 &&
            is_first(bench, i, of_event) && index-- == 0) {
            return text_of(series, of_event);
        }
    }
    return NULL;
}

const char *counted_series_at(const struct run_bench *bench, size_t index)
{
    return different_at(bench, index, false);
}

const char *counted_event_at(const struct run_bench *bench, size_t index)
{
    return different_at(bench, index, true);
}

double effective_clock(const struct run_bench *bench)
{
    const struct run_fact *aperf = run_find_fact(bench, FACT_APERF);
    const struct run_fact *mperf = run_find_fact(bench, FACT_MPERF);

    if (aperf == NULL || mperf == NULL || aperf->value < 0 || mperf->value <= 0) {
        return NAN;
    }
    return (double)aperf->value / (double)mperf->value;
}

bool phase_count_is_fact(const struct run *run, const struct run_fact *fact, const char **phase)
{
    for (size_t i = 0; i < run->event_count; i++) {
        const size_t length = strlen(run->events[i].name);

        if (strncmp(fact->name, run->events[i].name, length) == 0 && fact->name[length] == '.') {
            *phase = fact->name + length + 1;
            return true;
        }
    }
    return false;
}

static bool was_before(const struct run *run, const struct run_bench *bench, size_t index,
                       const char *phase)
{
    const char *other;

    return SEARCH_ANY(
        i, index, phase_count_is_fact(run, &bench->facts[i], &other) && strcmp(other, phase) == 0);
}

const char *phase_counted_at(const struct run *run, const struct run_bench *bench, size_t index)
{
    const char *phase;

    for (size_t i = 0; i < bench->fact_count; i++) {
        if (phase_count_is_fact(run, &bench->facts[i], &phase) &&
            !was_before(run, bench, i, phase) && index-- == 0) {
            return phase;
        }
    }
    return NULL;
}

const struct run_fact *phase_count_of(const struct run_bench *bench, const char *event,
                                      const char *phase)
{
    return run_fact_named(bench, "%s.%s", event, phase);
}

static const char expected_suffix[] = "." FACT_KERNEL_EXPECTED;

void kernel_count_of(const struct run_bench *bench, const struct run_series *series,
                     struct kernel_count *count)
{
    const struct run_fact *expected =
        run_fact_named(bench, "%s.%s%s", series->of, series->event, expected_suffix);

    *count = (struct kernel_count){
        .event = series->event,
        .has_expected = expected != NULL,
        .expected = expected != NULL ? expected->value : 0,
        .error_percent = NAN,
    };
    statistics_of(series->samples, series->received, &count->measured);
    if (count->measured.n > 0 && count->expected != 0) {
        count->error_percent = 100 * ((double)count->measured.median - (double)count->expected) /
                               (double)count->expected;
    }
}

const struct run_fact *kernel_iterations(const struct run_bench *bench, const char *kernel)
{
    const struct run_fact *own = run_fact_named(bench, "%s." FACT_ITERATIONS, kernel);

    return own != NULL ? own : run_find_fact(bench, FACT_ITERATIONS);
}

bool is_kernel_expectation(const struct run_fact *fact)
{
    return text_ends(fact->name, expected_suffix);
}
