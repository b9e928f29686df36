/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/host/gap_bench.h"

#include <string.h>

#include "bench/noise/names.h"

#define SUB_LOG2 4 /* log2 of the bins in an octave */

static const struct {
    const char *time, *length, *smis;
} list_names[GAP_LISTS] = {
    [GAP_FIRST] = {SERIES_GAP_TIME, SERIES_GAP_LENGTH, SERIES_GAP_SMI},
    [GAP_WORST] = {SERIES_WORST_TIME, SERIES_WORST_LENGTH, SERIES_WORST_SMI},
};

bool gap_series_of(const struct run_bench *bench, enum gap_list list, struct gap_series *series)
{
    const struct run_series *time = run_find_whole(bench, list_names[list].time);
    const struct run_series *length = run_find_whole(bench, list_names[list].length);
    const struct run_series *smis = run_find_series(bench, list_names[list].smis);

    *series = (struct gap_series){0};
    if (time == NULL || length == NULL || time->n != length->n) {
        return false;
    }
    *series = (struct gap_series){time, length, smis != NULL && smis->n == length->n ? smis : NULL};
    return true;
}

double gap_bin_end(int64_t bound)
{
    if (bound < 1 << SUB_LOG2) {
        return (double)bound + 1;
    }
    const int shift = 63 - __builtin_clzll((uint64_t)bound) - SUB_LOG2;

    return (double)bound + (double)(UINT64_C(1) << shift);
}

uint64_t gap_unkept_of(const struct run_bench *bench)
{
    const int64_t unkept = run_fact_or(bench, FACT_UNKEPT, 0);

    return unkept > 0 ? (uint64_t)unkept : 0;
}

double gap_watched(const struct run_bench *bench)
{
    const int64_t elapsed = run_fact_or(bench, FACT_GAP_ELAPSED, 0);
    const int64_t dead = run_fact_or(bench, FACT_DEAD, -1);

    return dead < 0 || elapsed <= dead ? 0 : (double)elapsed - (double)dead;
}

bool gap_holds_loop(const struct run_bench *bench)
{
    struct gap_totals totals;

    return gap_totals_of(bench, &totals) && totals.count > 0 &&
           run_fact_or(bench, FACT_THRESHOLD, 0) / 2 < run_fact_or(bench, FACT_SMALLEST, 0);
}

/* Adds the gaps of a list to the totals. Returns false if the list is missing or damaged. */
static bool add_list(const struct run_bench *bench, enum gap_list list, struct gap_totals *totals)
{
    struct gap_series series;

    if (!gap_series_of(bench, list, &series)) {
        return false;
    }
    for (size_t i = 0; i < series.length->n; i++) {
        const int64_t length = series.length->samples[i];

        if (length < 0 || __builtin_add_overflow(totals->sum, length, &totals->sum)) {
            return false;
        }
        if (totals->count++ == 0 || length > totals->greatest) {
            totals->greatest = length;
            totals->greatest_at = series.time->samples[i];
        }
    }
    return true;
}

/* Returns false if a fact is missing or the facts contradict each other. */
static bool read_facts(const struct run_bench *bench, struct gap_totals *totals)
{
    const int64_t count = run_fact_or(bench, FACT_OVER, -1);
    const int64_t rest = run_fact_or(bench, FACT_REST, -1);
    const int64_t dead_largest = run_fact_or(bench, FACT_DEAD_LARGEST, -1);
    const int64_t dead_smallest = run_fact_or(bench, FACT_DEAD_SMALLEST, -1);

    if (dead_smallest < 0 || dead_largest < dead_smallest) {
        return false;
    }
    totals->sum = run_fact_or(bench, FACT_STOLEN, -1);
    totals->greatest = run_fact_or(bench, FACT_LARGEST, count == 0 ? 0 : -1);
    totals->greatest_at = run_fact_or(bench, FACT_LARGEST_AT, count == 0 ? 0 : -1);
    totals->unseen_greatest = dead_largest - dead_smallest;
    totals->rest_sum = run_fact_or(bench, FACT_REST_SUM, -1);
    totals->count = (uint64_t)count;
    totals->rest = (uint64_t)rest;
    totals->is_exact = true;
    return count >= 0 && rest >= 0 && totals->sum >= totals->greatest && totals->greatest >= 0 &&
           totals->greatest_at >= 0 && totals->rest_sum >= 0;
}

bool gap_totals_of(const struct run_bench *bench, struct gap_totals *totals)
{
    *totals = (struct gap_totals){0};
    if (run_find_fact(bench, FACT_OVER) != NULL) {
        return read_facts(bench, totals);
    }
    if (!add_list(bench, GAP_FIRST, totals)) {
        return false;
    }
    totals->rest = gap_unkept_of(bench);
    totals->is_exact = totals->rest == 0;
    totals->count += totals->rest;
    return true;
}

static void add_smis(const struct run_bench *bench, enum gap_list list, struct gap_smis *smis)
{
    const struct run_series *length = run_find_series(bench, list_names[list].length);
    const struct run_series *series = run_find_series(bench, list_names[list].smis);

    /* if the numbers differ, the gap of an SMI is unknown */
    if (length == NULL || series == NULL || series->n != length->n) {
        return;
    }
    struct run_walk walk = {.series = series};
    const int64_t *sample = length->samples;

    if (list == GAP_FIRST) {
        smis->series = series;
        smis->whole = run_fact_or(bench, FACT_REST, (int64_t)gap_unkept_of(bench)) == 0;
    }
    smis->whole = smis->whole && run_series_whole(length) && run_series_whole(series);
    for (size_t r = 0; r < length->range_count; r++) {
        const struct run_range range = length->ranges[r];

        for (uint32_t i = 0; i < range.count; i++, sample++) {
            int64_t count;

            if (run_walk_to(&walk, range.first + i, &count) && count > 0) {
                smis->gaps++;
                smis->longest = *sample > smis->longest ? *sample : smis->longest;
            }
        }
    }
}

void gap_smis_of(const struct run_bench *bench, struct gap_smis *smis)
{
    memset(smis, 0, sizeof(*smis));
    for (enum gap_list list = 0; list < GAP_LISTS; list++) {
        add_smis(bench, list, smis);
    }
}
