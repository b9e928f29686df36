/* SPDX-License-Identifier: BSD-2-Clause */
/* Bench timerlat: histogram of the whole way, how rare long ones are, and the first in time. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/latency/host/ways.h"
#include "bench/latency/names.h"
#include "bench/noise/host/gap_bench.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"

#define SECTION         "Latency"
#define SERIES_NAME_MAX 32

static struct figure_series *add_lane(struct figure *figure, const struct way_lane *lane)
{
    char name[SERIES_NAME_MAX];

    snprintf(name, sizeof(name), "processor %lu", (unsigned long)lane->number);
    return figure_add_series(figure, name);
}

static const struct way_lane *first_known(const struct ways *ways)
{
    for (size_t i = 0; i < ways->count; i++) {
        if (ways->lane[i].known) {
            return &ways->lane[i];
        }
    }
    return NULL;
}

static void add_histogram(struct figures *figures, const struct ways *ways,
                          const struct figure_scale *scale)
{
    struct figure *figure = figure_add(figures, FIGURE_HISTOGRAM, SECTION,
                                       "timerlat: deadline to thread", "timerlat-histogram");

    figure_axes(figure, "from the deadline to the thread", scale->unit, "periods", NULL);
    figure->x.logarithmic = true;
    figure->y.logarithmic = true;
    figure_how(figure, "All periods of each processor, in the image's bins, 16 an octave; other "
                       "processors than the first have a station's levels in place of a thread");
    for (size_t i = 0; i < ways->count; i++) {
        const struct way_book *book = &ways->lane[i].book[WAY_SPAN_WHOLE];
        struct figure_series *series =
            ways->lane[i].known ? add_lane(figure, &ways->lane[i]) : NULL;

        for (size_t k = 0; series != NULL && k < book->bound->n; k++) {
            const double low = (double)book->bound->samples[k];
            const double high = gap_bin_end(book->bound->samples[k]);

            figure_add_range(series, (low + high) / 2 * scale->per_tick,
                             (double)book->count->samples[k], low * scale->per_tick,
                             high * scale->per_tick);
        }
    }
}

/* The mean way of each processor, as the sum of its spans. */
static void add_spans(struct figures *figures, const struct ways *ways,
                      const struct figure_scale *scale)
{
    struct figure *figure =
        figure_add(figures, FIGURE_BARS, SECTION, "timerlat: mean of each span", "timerlat-spans");

    figure_axes(figure, NULL, NULL, "mean", scale->unit);
    figure_how(figure, "From the deadline to the timer's handler, on to the deferred call, on to "
                       "the thread; whiskers: min and max");
    for (size_t i = 0; i < ways->count; i++) {
        char name[SERIES_NAME_MAX];

        snprintf(name, sizeof(name), "processor %lu", (unsigned long)ways->lane[i].number);
        if (ways->lane[i].known) {
            figure_add_group(figure, name);
        }
    }
    for (enum way_span span = 0; span < WAY_SPAN_COUNT; span++) {
        struct figure_series *series = figure_add_series(figure, way_span_name(span));
        double group = 0;

        for (size_t i = 0; i < ways->count; i++) {
            const struct way_lane *lane = &ways->lane[i];
            const struct way_book *book = &lane->book[span];

            if (lane->known) {
                figure_add_range(
                    series, group++, (double)book->sum / (double)lane->periods * scale->per_tick,
                    (double)book->min * scale->per_tick, (double)book->max * scale->per_tick);
            }
        }
    }
}

/* ---- the key figure ---- */

#define LANES_SHOWN      6
#define LOGARITHMIC_FROM 20 /* max by median: a linear axis would hide the median */

static int by_longest(const void *left, const void *right)
{
    const struct way_lane *a = *(const struct way_lane *const *)left;
    const struct way_lane *b = *(const struct way_lane *const *)right;
    const int64_t longest_a = a->book[WAY_SPAN_WHOLE].max;
    const int64_t longest_b = b->book[WAY_SPAN_WHOLE].max;

    if (longest_a != longest_b) {
        return longest_a > longest_b ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

static void add_key(struct figures *figures, const struct ways *ways,
                    const struct figure_scale *scale)
{
    const struct way_lane **lanes =
        alloc_zeroed((ways->count + 1) * sizeof(const struct way_lane *));
    struct figure *figure =
        figure_add(figures, FIGURE_BARS, FIGURE_SECTION_KEY, "Timer latency", "key-timer");
    struct figure_series *series = figure_add_series(figure, "median");
    size_t count = 0;

    for (size_t i = 0; i < ways->count; i++) {
        if (ways->lane[i].known) {
            lanes[count++] = &ways->lane[i];
        }
    }
    sort_stable(lanes, count, sizeof(const struct way_lane *), by_longest);
    figure_axes(figure, NULL, NULL, "deadline to thread", scale->unit);
    for (size_t i = 0; i < count && i < LANES_SHOWN; i++) {
        const struct way_book *book = &lanes[i]->book[WAY_SPAN_WHOLE];
        char name[SERIES_NAME_MAX];

        snprintf(name, sizeof(name), "processor %lu", (unsigned long)lanes[i]->number);
        figure_add_group(figure, name);
        figure_add_range(series, (double)i,
                         (double)way_quantile(lanes[i], WAY_SPAN_WHOLE, WAY_MILLION / 2) *
                             scale->per_tick,
                         (double)book->min * scale->per_tick, (double)book->max * scale->per_tick);
    }
    for (size_t i = 0; i < series->n; i++) {
        figure->y.logarithmic |=
            series->low[i] > 0 && series->high[i] > LOGARITHMIC_FROM * series->y[i];
    }
    if (count > LANES_SHOWN) {
        figure_how(figure, "Median, and from min to max: the worst %d of %zu processors",
                   LANES_SHOWN, count);
    } else {
        figure_how(figure, "Median, and from min to max");
    }
    free(lanes);
}

static void timerlat_figures(struct figures *figures, const struct run *run,
                             const struct run_bench *bench)
{
    struct ways ways;

    if (ways_of(bench, &ways)) {
        const struct way_lane *lane = first_known(&ways);

        if (lane != NULL) {
            const struct figure_scale scale =
                figure_length_scale(run, (double)lane->book[WAY_SPAN_WHOLE].max);

            add_key(figures, &ways, &scale);
            add_histogram(figures, &ways, &scale);
            add_spans(figures, &ways, &scale);
        }
    }
    ways_free(&ways);
}

READING_REGISTER(timerlat_figures) = {
    .bench = BENCH_TIMERLAT, .order = 386, .bench_figures = timerlat_figures};
