/* SPDX-License-Identifier: BSD-2-Clause */
/* Bench timerlat: histogram of the whole way, how rare long ones are, and the first in time. */
#include <stdio.h>

#include "bench/latency/names.h"
#include "tools/bench/latency/ways.h"
#include "tools/bench/noise/gap_bench.h"
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
                       "the thread; whiskers: least and greatest");
    for (size_t i = 0; i < ways->count; i++) {
        char name[SERIES_NAME_MAX];

        snprintf(name, sizeof(name), "processor %lu", (unsigned long)ways->lane[i].number);
        figure_add_group(figure, name);
    }
    for (enum way_span span = 0; span < WAY_SPAN_COUNT; span++) {
        struct figure_series *series = figure_add_series(figure, way_span_name(span));

        for (size_t i = 0; i < ways->count; i++) {
            const struct way_lane *lane = &ways->lane[i];
            const struct way_book *book = &lane->book[span];

            if (lane->known) {
                figure_add_range(
                    series, (double)i, (double)book->sum / (double)lane->periods * scale->per_tick,
                    (double)book->min * scale->per_tick, (double)book->max * scale->per_tick);
            }
        }
    }
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

            add_histogram(figures, &ways, &scale);
            add_spans(figures, &ways, &scale);
        }
    }
    ways_free(&ways);
}

READING_REGISTER(timerlat_figures) = {
    .bench = BENCH_TIMERLAT, .order = 386, .bench_figures = timerlat_figures};
