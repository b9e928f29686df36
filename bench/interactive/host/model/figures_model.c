/* SPDX-License-Identifier: BSD-2-Clause */
/* bench model: how long responses took, and how long competing quanta waited. */
#include <string.h>

#include "bench/interactive/host/measure/latency.h"
#include "bench/interactive/host/model/view_model.h"
#include "bench/interactive/names.h"
#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"
#include "tools/stats/statistics.h"

#define SECTION "Response times of the model"
#define PERCENT 100

static const char wait_prefix[] = SERIES_WAIT ".";

static bool is_wait(const struct run_series *series)
{
    return strncmp(series->name, wait_prefix, strlen(wait_prefix)) == 0;
}

static bool is_response(const struct run_series *series)
{
    return strcmp(series->name, SERIES_RESPONSE) == 0 ||
           strncmp(series->name, SERIES_RESPONSE ".", sizeof(SERIES_RESPONSE)) == 0;
}

static void add_histogram(struct figures *figures, const struct run *run,
                          const struct run_series *series)
{
    const struct figure_scale scale =
        figure_length_scale(run, (double)statistics_median(series->samples, series->n));
    struct figure *figure = figure_add(figures, FIGURE_HISTOGRAM, SECTION, series->name,
                                       "model-histogram-%s", series->name);
    struct figure_series *bins = figure_add_series(figure, "passes");
    struct latency_bin bin[LATENCY_BINS_MAX];
    const size_t count = latency_histogram(series->samples, series->n, scale.per_tick, bin);

    figure_axes(figure, "response", scale.unit, "passes", NULL);
    figure_how(figure,
               "%u passes, from the intended moment of the stimulus to the end of its last "
               "portion",
               series->n);
    figure->x.logarithmic = count > 1 && bin[0].from > 0 && bin[count - 1].to > 10 * bin[0].from;
    for (size_t i = 0; i < count; i++) {
        figure_add_range(bins, (bin[i].from + bin[i].to) / 2, (double)bin[i].n, bin[i].from,
                         bin[i].to);
    }
}

/* The part of its samples that are longer, or, with `upto`, not longer. */
static void add_curve(struct figure *figure, const struct run_series *series,
                      const struct figure_scale *scale, bool upto)
{
    struct figure_series *drawn = figure_add_series(figure, series->name);
    struct latency_curve curve;

    latency_curve_init(&curve, series->samples, series->n);
    for (size_t i = 0; i < series->n; i++) {
        const bool last = i + 1 == series->n;

        if (!last && curve.sorted[i + 1] == curve.sorted[i]) {
            continue;
        }
        const double part = (double)(i + 1) / (double)series->n;

        if (upto) {
            figure_add_point(drawn, (double)curve.sorted[i] * scale->per_tick, PERCENT * part);
        } else if (!last) {
            figure_add_point(drawn, (double)curve.sorted[i] * scale->per_tick,
                             PERCENT * (1 - part));
        }
    }
    latency_curve_free(&curve);
}

static bool is_drawn(const struct run_series *series, bool waits)
{
    return (waits ? is_wait(series) : is_response(series)) && series->n > 0 &&
           run_series_whole(series);
}

static const struct run_series *first_drawn(const struct run_bench *bench, bool waits)
{
    for (size_t i = 0; i < bench->series_count; i++) {
        if (is_drawn(&bench->series[i], waits)) {
            return &bench->series[i];
        }
    }
    return NULL;
}

/* The curves of all series of the kind. */
static void add_curves(struct figures *figures, const struct run *run,
                       const struct run_bench *bench, bool waits)
{
    const struct run_series *first = first_drawn(bench, waits);

    if (first == NULL) {
        return;
    }
    const struct figure_scale scale =
        figure_length_scale(run, (double)statistics_median(first->samples, first->n));
    struct figure *figure =
        figure_add(figures, FIGURE_STEPS, SECTION,
                   waits ? "Waits of competing quanta" : "Responses, cumulative",
                   waits ? "model-waits" : "model-cumulative");

    figure_axes(figure, waits ? "wait" : "response", scale.unit,
                waits ? "part that waits longer" : "part not longer", "%");
    figure_how(figure, waits ? "From arrival to first service, by level; preempted time is no wait"
                             : "The part of passes whose response is not longer");
    figure->y.logarithmic = waits;
    for (size_t i = 0; i < bench->series_count; i++) {
        if (is_drawn(&bench->series[i], waits)) {
            add_curve(figure, &bench->series[i], &scale, !waits);
        }
    }
}

void figures_model(struct figures *figures, const struct run *run)
{
    const struct run_bench *bench =
        figures_find_bench(figures, run, SECTION, "Responses", BENCH_MODEL);

    if (bench == NULL) {
        return;
    }
    if (first_drawn(bench, false) == NULL && first_drawn(bench, true) == NULL) {
        figure_add_torn(figures, SECTION, "Responses", BENCH_MODEL);
        return;
    }
    for (size_t i = 0; i < bench->series_count; i++) {
        if (is_drawn(&bench->series[i], false)) {
            add_histogram(figures, run, &bench->series[i]);
        }
    }
    add_curves(figures, run, bench, false);
    add_curves(figures, run, bench, true);
}

READING_REGISTER(figures_model) = {.order = 420, .figures = figures_model};
