/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/host/idle_correlation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/host/gap_bench.h"
#include "bench/noise/host/team_rows.h"
#include "bench/noise/names.h"
#include "kernel/pmu/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/present/report_plugin.h"
#include "tools/stats/statistics.h"
#include "tools/trace/idle_bench.h"

#define SAMPLES SERIES_TICKING

/* The samples whose number of interrupts is known. */
struct pairs {
    size_t n;
    uint32_t *index; /* index of the sample; ascending */
    int64_t *interrupts;
    int64_t *length;
};

static void pairs_room(struct pairs *pairs, size_t n)
{
    *pairs = (struct pairs){
        .index = alloc_zeroed(n * sizeof(*pairs->index)),
        .interrupts = alloc_zeroed(n * sizeof(*pairs->interrupts)),
        .length = alloc_zeroed(n * sizeof(*pairs->length)),
    };
}

/* Pairs lengths with counts, for samples of which both arrived. */
static bool pairs_by_event(const struct run_series *samples, const struct run_series *interrupts,
                           struct pairs *pairs, const char **why)
{
    struct run_walk walk = {.series = interrupts};
    const int64_t *length = samples->samples;

    pairs_room(pairs, samples->received);
    if (!idle_check(samples->samples, samples->received)) {
        *why = "its series contradict each other";
        return false;
    }
    for (size_t r = 0; r < samples->range_count; r++) {
        const struct run_range range = samples->ranges[r];

        for (uint32_t i = 0; i < range.count; i++, length++) {
            int64_t count;

            if (run_walk_to(&walk, range.first + i, &count)) {
                pairs->index[pairs->n] = range.first + i;
                pairs->interrupts[pairs->n] = count;
                pairs->length[pairs->n++] = *length;
            }
        }
    }
    return true;
}

static bool pairs_by_handler(const struct run_bench *bench, struct pairs *pairs, const char **why)
{
    struct idle_bench idle;

    if (!idle_bench_ticks(bench, &idle, why)) {
        pairs_room(pairs, 0);
        return false;
    }
    const size_t n = idle.samples->received;

    pairs_room(pairs, n);
    pairs->n = n;
    memcpy(pairs->length, idle.samples->samples, n * sizeof(*pairs->length));
    for (size_t i = 0; i < n; i++) {
        pairs->index[i] = (uint32_t)i;
    }
    for (size_t i = 0; i < idle.event_count; i++) {
        if (idle.events[i].found) {
            pairs->interrupts[idle.events[i].sample] += (int64_t)idle.events[i].count;
        }
    }
    idle_bench_free(&idle);
    return true;
}

static void make_medians(const struct idle_correlation *correlation, struct idle_counted *event,
                         const struct pairs *pairs, const size_t *order)
{
    struct run_walk walk = {.series = event->counts};
    int64_t *counts = alloc_zeroed(pairs->n * sizeof(*counts));
    bool *present = alloc_zeroed(pairs->n * sizeof(*present));
    int64_t *of_class = alloc_zeroed(pairs->n * sizeof(*of_class));

    event->medians = alloc_zeroed(correlation->class_count * sizeof(*event->medians));
    event->has_median = alloc_zeroed(correlation->class_count * sizeof(*event->has_median));
    for (size_t i = 0; i < pairs->n; i++) {
        present[i] = run_walk_to(&walk, pairs->index[i], &counts[i]);
    }
    for (size_t c = 0, at = 0; c < correlation->class_count; c++) {
        const size_t end = at + correlation->classes[c].samples;
        size_t found = 0;

        for (; at < end; at++) {
            of_class[found] = counts[order[at]];
            found += present[order[at]];
        }
        event->has_median[c] = found > 0;
        event->medians[c] = statistics_median(of_class, found);
    }
    free(counts);
    free(present);
    free(of_class);
}

static void make_classes(struct idle_correlation *correlation, const struct pairs *pairs,
                         const size_t *order, const size_t *starts)
{
    int64_t *lengths = alloc_zeroed(pairs->n * sizeof(*lengths));

    correlation->classes = alloc_zeroed(correlation->class_count * sizeof(*correlation->classes));
    for (size_t i = 0; i < pairs->n; i++) {
        lengths[i] = pairs->length[order[i]];
    }
    for (size_t c = 0; c < correlation->class_count; c++) {
        const size_t end = c + 1 < correlation->class_count ? starts[c + 1] : pairs->n;
        const int64_t length = statistics_median(lengths + starts[c], end - starts[c]);

        correlation->classes[c] = (struct idle_class){
            .interrupts = pairs->interrupts[order[starts[c]]],
            .samples = end - starts[c],
            .length = length,
            .elongation = length - correlation->floor,
        };
    }
    free(lengths);
}

static void correlate(struct idle_correlation *correlation, const struct pairs *pairs)
{
    size_t *order = alloc_zeroed(pairs->n * sizeof(*order));
    size_t *starts = alloc_zeroed(pairs->n * sizeof(*starts));

    correlation->samples = pairs->n;
    /* the excess is the length minus a constant, so both have the same correlation */
    correlation->coefficient = statistics_correlation(pairs->interrupts, pairs->length, pairs->n);
    correlation->class_count = idle_group(pairs->interrupts, pairs->n, order, starts);
    make_classes(correlation, pairs, order, starts);
    for (size_t i = 0; i < correlation->event_count; i++) {
        make_medians(correlation, &correlation->events[i], pairs, order);
    }
    free(order);
    free(starts);
}

bool idle_correlate(const struct run_bench *bench, struct idle_correlation *correlation,
                    const char **why)
{
    const struct run_series *samples = run_find_series(bench, SAMPLES);
    const struct run_series *interrupts = run_find_counts(bench, SAMPLES, COUNT_INTERRUPTS);
    struct pairs pairs;

    memset(correlation, 0, sizeof(*correlation));
    if (!idle_bench_floor(bench, &correlation->floor, why)) {
        return false;
    }
    bool ok;

    if (samples != NULL && interrupts != NULL) {
        correlation->by_event = true;
        ok = pairs_by_event(samples, interrupts, &pairs, why);
    } else {
        ok = pairs_by_handler(bench, &pairs, why);
    }
    if (ok && pairs.n == 0) {
        *why = "no sample and its count arrived together";
        ok = false;
    }
    if (ok) {
        correlation->events = alloc_zeroed(bench->series_count * sizeof(*correlation->events));
        for (size_t i = 0; i < bench->series_count; i++) {
            const struct run_series *series = &bench->series[i];

            if (series->of != NULL && strcmp(series->of, SAMPLES) == 0) {
                correlation->events[correlation->event_count++].counts = series;
            }
        }
        correlate(correlation, &pairs);
    }
    free(pairs.index);
    free(pairs.interrupts);
    free(pairs.length);
    return ok;
}

void idle_correlation_free(struct idle_correlation *correlation)
{
    for (size_t i = 0; i < correlation->event_count; i++) {
        free(correlation->events[i].medians);
        free(correlation->events[i].has_median);
    }
    free(correlation->classes);
    free(correlation->events);
    memset(correlation, 0, sizeof(*correlation));
}

/* Metrics: lost time, the longest gap, and SMIs. */

#define PPM 1e6

bool stolen_from_idle(const struct run_bench *bench, const char *name, struct stolen *stolen)
{
    const struct run_series *series = run_find_whole(bench, name);
    double all = 0;
    double all_stolen = 0;
    const char *why = NULL;
    int64_t floor;

    *stolen = (struct stolen){0};
    if (series == NULL || series->n == 0 || !idle_check(series->samples, series->n) ||
        !idle_bench_floor(bench, &floor, &why)) {
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
    const struct run_series *parts = run_find_whole(bench, SERIES_GAP_STOLEN);
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
    } else if (parts != NULL && parts->n == STOLEN_PARTS) {
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

/* Replaces the longest gap by that of another processor if that is longer and each processor's is
 * known. */
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

/* Adds the longest gap of all, or, if no gap was above the threshold, the bound that no gap
 * exceeds. */
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

/* Only the number of SMIs is known, and how long they were counted. */
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

PLUGIN_OF(idle, .order = 510, .metrics = {.others = add_idle});
PLUGIN_OF(gap, .order = 510, .metrics = {.others = add_gap});
