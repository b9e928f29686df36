/* SPDX-License-Identifier: BSD-2-Clause */
/* Stolen time, the longest gap, and SMIs as metrics. */
#include "bench/noise/host/stolen.h"

#include <math.h>
#include <string.h>

#include "bench/noise/host/gap_bench.h"
#include "bench/noise/host/team_rows.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/present/reading.h"
#include "tools/trace/idle_bench.h"

#define PPM 1e6

bool stolen_from_idle(const struct run_bench *bench, const char *name, struct stolen *stolen)
{
    const struct run_series *series = run_find_series(bench, name);
    double all = 0;
    double all_stolen = 0;
    const char *why = NULL;
    int64_t floor;

    *stolen = (struct stolen){0};
    if (series == NULL || series->n == 0 || !run_series_whole(series) ||
        !idle_check(series->samples, series->n) || !idle_bench_floor(bench, &floor, &why)) {
        return false;
    }
    stolen->parts = series->n < STOLEN_PARTS ? series->n : STOLEN_PARTS;
    for (size_t part = 0; part < stolen->parts; part++) {
        double time = 0;
        double lost = 0;

        for (size_t i = part * series->n / stolen->parts;
             i < (part + 1) * series->n / stolen->parts; i++) {
            const int64_t length = series->samples[i];

            time += (double)length;
            lost += length > floor ? (double)(length - floor) : 0;
        }
        stolen->part[part] = time > 0 ? PPM * lost / time : 0;
        all += time;
        all_stolen += lost;
    }
    stolen->whole = all > 0 ? PPM * all_stolen / all : 0;
    return all > 0;
}

bool stolen_from_gap(const struct run_bench *bench, struct stolen *stolen)
{
    const struct run_series *parts = run_find_series(bench, SERIES_GAP_STOLEN);
    const double watched = gap_watched(bench);
    struct gap_totals totals;

    *stolen = (struct stolen){0};
    if (!gap_totals_of(bench, &totals) || !totals.is_exact || watched <= 0 ||
        gap_holds_loop(bench)) {
        return false;
    }
    stolen->whole = PPM * (double)totals.sum / watched;
    if (totals.count == 0) {
        stolen->parts = STOLEN_PARTS;
    } else if (parts != NULL && parts->n == STOLEN_PARTS && run_series_whole(parts)) {
        stolen->parts = STOLEN_PARTS;
        for (size_t i = 0; i < STOLEN_PARTS; i++) {
            stolen->part[i] = PPM * (double)parts->samples[i] / (watched / STOLEN_PARTS);
        }
    }
    return true;
}

/* ---- metrics ---- */

static void add_stolen(struct metrics *metrics, const struct run_bench *bench, const char *series,
                       const struct stolen *stolen)
{
    struct metric *metric = metrics_add(metrics, bench, FACT_STOLEN, series);

    metric->unit = UNIT_PPM;
    metric->is_share = true;
    metric->share = stolen->whole;
    metric->n = stolen->parts;
    metric->values = alloc_zeroed(stolen->parts * sizeof(*metric->values));
    memcpy(metric->values, stolen->part, stolen->parts * sizeof(*metric->values));
}

static void add_idle(struct metrics *metrics, const struct run_bench *bench)
{
    static const char *const names[] = {SERIES_FLOOR, SERIES_TICKING};
    struct stolen stolen;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (stolen_from_idle(bench, names[i], &stolen)) {
            add_stolen(metrics, bench, names[i], &stolen);
        }
    }
}

/* Another processor's, if it is longer, and that of each is known. */
static void longest_of_team(const struct run_bench *bench, struct metric *longest)
{
    struct team_rows rows;

    team_rows_of(bench, &rows);
    const struct team_row *row = team_rows_longest(&rows);

    if (row != NULL && (double)row->largest > longest->values[0]) {
        longest->values[0] = (double)row->largest;
        longest->greatest_at = (double)row->largest_at;
    }
    team_rows_free(&rows);
}

/* The largest of all; where no gap was above the threshold, what none exceeds. */
static void add_longest(struct metrics *metrics, const struct run_bench *bench)
{
    const struct metric *gaps = NULL;
    struct gap_totals totals;

    for (size_t i = 0; i < metrics->count; i++) {
        if (metrics->item[i].bench == bench->name && metrics->item[i].pass == bench->pass &&
            strcmp(metrics->item[i].series, SERIES_GAP_LENGTH) == 0) {
            gaps = &metrics->item[i];
        }
    }
    if (gaps == NULL || !gap_totals_of(bench, &totals) || !totals.is_exact ||
        isnan(gaps->greatest_high)) {
        return;
    }
    const double longest = totals.count > 0 ? (double)totals.greatest : gaps->greatest_high;
    struct metric *metric = metrics_add(metrics, bench, "longest", NULL);

    metric->n = 1;
    metric->values = alloc_zeroed(sizeof(*metric->values));
    metric->values[0] = longest;
    metric->greatest_at = totals.count > 0 ? (double)totals.greatest_at : NAN;
    longest_of_team(bench, metric);
}

/* Of SMIs the number alone is known, and how long they were counted. */
static void add_smis(struct metrics *metrics, const struct run_bench *bench)
{
    const int64_t count = run_fact_or(bench, FACT_SMI, -1);
    const int64_t elapsed = run_fact_or(bench, FACT_GAP_ELAPSED, 0);

    if (count < 0 || elapsed <= 0) {
        return;
    }
    struct metric *metric = metrics_add(metrics, bench, FACT_SMI, NULL);

    metric->unit = UNIT_COUNT;
    metric->observed = (double)elapsed;
    metric->unkept = (uint64_t)count;
    metric->counted_only = true;
}

static void add_gap(struct metrics *metrics, const struct run_bench *bench)
{
    struct stolen stolen;

    add_longest(metrics, bench);
    if (stolen_from_gap(bench, &stolen) && stolen.parts > 0) {
        add_stolen(metrics, bench, NULL, &stolen);
    }
    add_smis(metrics, bench);
}

READING_REGISTER(idle_stolen) = {
    .bench = BENCH_IDLE, .order = 510, .metrics = {.others = add_idle}};
READING_REGISTER(gap_stolen) = {.bench = BENCH_GAP, .order = 510, .metrics = {.others = add_gap}};
