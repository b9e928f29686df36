/* SPDX-License-Identifier: BSD-2-Clause */
/* What part of gaps of known length each detector found, by length: a figure for each injector. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/noise/host/sensitivity.h"
#include "bench/noise/names.h"
#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"
#include "tools/run/run_kind.h"

#define PART_WANTED 99.0 /* % of the gaps of a length: see sensitivity_point_of() */

static const char section[] = "Noise";
static const char points_title[] = "Sensitivity: the shortest gaps that each detector finds";

static const struct {
    const char *injector, *title;
} drawn[] = {
    {INJECTOR_TIMER, "Sensitivity: gaps found, made by interrupts of the timer"},
    {INJECTOR_SPIN, "Sensitivity: gaps found, made by a spin between two readings"},
    {INJECTOR_IPI, "Sensitivity: gaps found, made by interrupts from another processor"},
    {INJECTOR_SMI, "Sensitivity: gaps found, made by SMIs"},
};
#define DRAWN (sizeof(drawn) / sizeof(drawn[0]))

static void add_points(struct figure *figure, const struct sensitivity_curve *curve,
                       const struct figure_scale *scale)
{
    struct figure_series *series = figure_add_series(figure, curve->detector);

    for (size_t i = 0; i < curve->n; i++) {
        const struct sensitivity_length *length = &curve->lengths[i];

        if (length->tried > 0 && length->ticks > 0) {
            figure_add_point(series, (double)length->ticks * scale->per_tick,
                             100 * (double)length->found / (double)length->tried);
        }
    }
}

static bool was_tried(const struct sensitivity_curve *curve)
{
    for (size_t i = 0; i < curve->n; i++) {
        if (curve->lengths[i].tried > 0 && curve->lengths[i].ticks > 0) {
            return true;
        }
    }
    return false;
}

/* Where the length that the table gives is read off. */
static void add_part_wanted(struct figure *figure)
{
    double least = INFINITY;
    double most = 0;

    for (size_t s = 0; s < figure->series_count; s++) {
        for (size_t i = 0; i < figure->series[s].n; i++) {
            least = fmin(least, figure->series[s].x[i]);
            most = fmax(most, figure->series[s].x[i]);
        }
    }
    struct figure_series *line = figure_add_reference(figure, "99 %");

    figure_add_point(line, least, PART_WANTED);
    figure_add_point(line, most, PART_WANTED);
}

/* A curve of one length, as of SMIs, is a row of the table. */
static void add_injector(struct figures *figures, const struct run *run,
                         const struct run_bench *bench, size_t which)
{
    struct sensitivity_curve curve;
    struct figure_scale scale = {0};
    struct figure *figure = NULL;

    for (size_t i = 0; sensitivity_curve_next(bench, &i, &curve);) {
        if (strcmp(curve.injector, drawn[which].injector) == 0 && curve.n > 1 &&
            was_tried(&curve)) {
            if (figure == NULL) {
                const size_t middle = curve.n / 2;

                scale = figure_length_scale(run, (double)curve.lengths[middle].ticks);
                figure = figure_add(figures, FIGURE_LINES, section, drawn[which].title,
                                    "sensitivity-%s", drawn[which].injector);
                figure_axes(figure, "length of the gap", scale.unit, "found", "%");
                figure->x.logarithmic = true;
            }
            add_points(figure, &curve, &scale);
        }
        sensitivity_curve_free(&curve);
    }
    if (figure != NULL) {
        add_part_wanted(figure);
        figure_how(figure,
                   "Gaps of known length were injected into the loop of each detector, from one "
                   "iteration of a counted spin up, and counted as found where it reported one at "
                   "that time; in %s",
                   run_time_label(run));
    }
}

static void add_row(struct figure *figure, const struct view *view,
                    const struct sensitivity_curve *curve)
{
    struct sensitivity_point point;
    char text[AMOUNT_MAX];

    figure_cell(figure, "%s", curve->detector);
    figure_cell(figure, "%s", curve->injector);
    if (sensitivity_point_of(curve, &point)) {
        figure_cell(figure, "%s%s", point.at_most ? "at most " : "",
                    span_text(view, (double)point.ticks, text));
        figure_cell(figure, "%" PRId64, point.tried);
        figure_cell(figure, "%.1f %%", 100 * point.proven);
    } else {
        figure_cell(figure, "above %s",
                    span_text(view, (double)curve->lengths[curve->n - 1].ticks, text));
        figure_cell(figure, "%" PRId64, curve->lengths[curve->n - 1].tried);
        figure_cell(figure, "%s", "");
    }
    figure_cell(figure, "%" PRId64 " of %" PRId64, curve->alarms, curve->readings);
    if (curve->alarms == 0) {
        figure_cell(figure, "below %.3g", sensitivity_alarms_bound(curve));
    } else {
        figure_cell(figure, "%.3g", sensitivity_alarms(curve));
    }
}

static void add_table(struct figures *figures, const struct run *run, const struct run_bench *bench)
{
    char from[AMOUNT_MAX];
    struct sensitivity_curve curve;
    struct view view;

    view_init(&view, NULL, run);
    snprintf(from, sizeof(from), "99 %% found from%s", span_note(&view));
    const char *const heads[] = {"detector", "injected by",  from,          "tried",
                                 "proven",   "false alarms", "in a million"};
    struct figure *figure =
        figure_add(figures, FIGURE_TABLE, section, points_title, "sensitivity-points");

    figure_table(figure, "llrrrrr", heads);
    for (size_t i = 0; sensitivity_curve_next(bench, &i, &curve);) {
        add_row(figure, &view, &curve);
        sensitivity_curve_free(&curve);
    }
    figure_how(figure,
               "From this length on 99 %% or more were found of each length that was injected; "
               "proven: the chance that the trials of that length prove with 95 %% confidence. "
               "False alarms are readings that were reported without injection");
}

static void figures_sensitivity(struct figures *figures, const struct run *run)
{
    const struct run_bench *bench =
        figures_find_bench(figures, run, section, points_title, BENCH_SENSITIVITY);
    struct sensitivity_curve curve;
    size_t index = 0;

    if (bench == NULL) {
        return;
    }
    if (!sensitivity_curve_next(bench, &index, &curve)) {
        figure_add_torn(figures, section, points_title, BENCH_SENSITIVITY);
        return;
    }
    sensitivity_curve_free(&curve);
    add_table(figures, run, bench);
    for (size_t i = 0; i < DRAWN; i++) {
        add_injector(figures, run, bench, i);
    }
}

READING_REGISTER(sensitivity_figures) = {.order = 372, .figures = figures_sensitivity};
