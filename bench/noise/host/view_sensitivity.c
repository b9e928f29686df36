/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints and draws bench `sensitivity`: 99 % points, false alarms, and each curve as a line of
 * digits. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/host/sensitivity.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/number.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"
#include "tools/present/figure_kit.h"
#include "tools/present/json_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/run/run_kind.h"

#define TENTHS 10

static void add_point(struct table *table, const struct view *view,
                      const struct sensitivity_curve *curve)
{
    struct sensitivity_point point;
    char text[AMOUNT_MAX];

    if (!sensitivity_point_of(curve, &point)) {
        table_format(table, "> %s\t-",
                     span_text(view, (double)curve->lengths[curve->n - 1].ticks, text));
        return;
    }
    table_format(table, "%s%s", point.at_most ? "<= " : "",
                 span_text(view, (double)point.ticks, text));
    table_share(table, point.proven);
}

static void add_alarms(struct table *table, const struct sensitivity_curve *curve)
{
    char text[NUMBER_MAX];

    if (curve->readings <= 0) {
        table_text(table, NULL);
    } else if (curve->alarms == 0) {
        table_format(table, "< %s", number_si(sensitivity_alarms_bound(curve), "", text));
    } else {
        table_text(table, number_si(sensitivity_alarms(curve), "", text));
    }
}

static void print_points(const struct view *view, const struct run_bench *bench)
{
    struct sensitivity_curve curve;
    struct table table;

    table_open(&table, "llrrrrr",
               "detector\tinjected by\t99 %% from\tproven\treading\treports above\talarms/10^6");
    for (size_t i = 0; sensitivity_curve_next(bench, &i, &curve);) {
        table_line(&table, "%s\t%s", curve.detector, curve.injector);
        add_point(&table, view, &curve);
        cell_span(&table, view, true, (double)curve.reading);
        cell_span(&table, view, true, (double)curve.threshold);
        add_alarms(&table, &curve);
        sensitivity_curve_free(&curve);
    }
    view_table(view, &table);
}

/* Returns '-' if the length was not tried, '.' if none was found, '#' if all were, otherwise the
 * tenths found. */
static char digit_of(const struct sensitivity_length *length)
{
    if (length->tried <= 0) {
        return '-';
    }
    if (length->found <= 0) {
        return '.';
    }
    return length->found >= length->tried ? '#'
                                          : (char)('0' + TENTHS * length->found / length->tried);
}

static void print_curves(const struct view *view, const struct run_bench *bench)
{
    struct sensitivity_curve curve;
    struct table table;

    table_open(&table, "lrrl", "curve\tfrom\tto\tshare found of each length");
    for (size_t i = 0; sensitivity_curve_next(bench, &i, &curve);) {
        char *digits = alloc_zeroed(curve.n + 1);

        for (size_t k = 0; k < curve.n; k++) {
            digits[k] = digit_of(&curve.lengths[k]);
        }
        table_line(&table, "%s.%s", curve.detector, curve.injector);
        cell_span(&table, view, true, (double)curve.lengths[0].ticks);
        cell_span(&table, view, true, (double)curve.lengths[curve.n - 1].ticks);
        table_text(&table, digits);
        free(digits);
        sensitivity_curve_free(&curve);
    }
    view_table(view, &table);
}

static void view_sensitivity(const struct view *view, const struct run_bench *bench)
{
    struct sensitivity_curve curve;
    size_t index = 0;

    if (!sensitivity_curve_next(bench, &index, &curve)) {
        print_paragraph(
            view->out, "no curve: samples are missing, or no injector can be used on this machine");
        return;
    }
    sensitivity_curve_free(&curve);
    print_paragraph(
        view->out,
        "99 %% from: from this length on, at least 99 %% of the gaps of each length tried are "
        "found; proven: the probability of being found that the trials establish with 95 %% "
        "confidence. "
        "Alarms: readings reported without injection, in a million%s",
        span_note(view));
    print_points(view, bench);
    print_paragraph(view->out, ". none found, 1 to 9 tenths found, # all found, - not tried%s",
                    span_note(view));
    print_curves(view, bench);
}

static bool shows_fact(const struct run_fact *fact)
{
    return text_ends(fact->name, SUFFIX_READING) || text_ends(fact->name, SUFFIX_THRESHOLD) ||
           text_ends(fact->name, SUFFIX_READINGS) || text_ends(fact->name, SUFFIX_ALARMS);
}

/* Figures: the part of the injected gaps that each detector found, by length; one figure for each
 * injector. */

#define PART_WANTED 99.0 /* percent of the gaps of a length: see sensitivity_point_of() */

static const char section[] = "Noise";
static const char points_title[] = "Sensitivity: the shortest gaps that each detector finds";

static const struct {
    const char *injector, *title;
} drawn[] = {
    {INJECTOR_TIMER, "Sensitivity: gaps found, injected by timer interrupts"},
    {INJECTOR_SPIN, "Sensitivity: gaps found, injected by a spin between two readings"},
    {INJECTOR_IPI, "Sensitivity: gaps found, injected by interrupts from another processor"},
    {INJECTOR_SMI, "Sensitivity: gaps found, injected by SMIs"},
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
    return SEARCH_ANY(i, curve->n, curve->lengths[i].tried > 0 && curve->lengths[i].ticks > 0);
}

/* Draws the line at which the 99 % point of the table is read. */
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

/* A curve of one length, such as that of SMIs, is not drawn; it is a row of the table. */
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
                   "Gaps of known length were injected into the loop of each detector, starting "
                   "with one iteration of a counted spin. A gap counts as found if the detector "
                   "reported one at that time; in %s",
                   run_time_label(run));
    }
}

static void add_row(struct figure *figure, const struct view *view,
                    const struct sensitivity_curve *curve)
{
    struct sensitivity_point point;
    char text[AMOUNT_MAX];

    figure_cell(figure, "%s\t%s", curve->detector, curve->injector);
    if (sensitivity_point_of(curve, &point)) {
        figure_cell(figure, "%s%s\t%" PRId64 "\t%.1f %%", point.at_most ? "at most " : "",
                    span_text(view, (double)point.ticks, text), point.tried, 100 * point.proven);
    } else {
        const struct sensitivity_length *last = &curve->lengths[curve->n - 1];

        figure_cell(figure, "above %s\t%" PRId64 "\t", span_text(view, (double)last->ticks, text),
                    last->tried);
    }
    figure_cell(figure, "%" PRId64 " of %" PRId64, curve->alarms, curve->readings);
    if (curve->alarms == 0) {
        figure_cell(figure, "below %s", number_si(sensitivity_alarms_bound(curve), "", text));
    } else {
        figure_cell(figure, "%s", number_si(sensitivity_alarms(curve), "", text));
    }
}

static void add_table(struct figures *figures, const struct run *run, const struct run_bench *bench)
{
    struct sensitivity_curve curve;
    struct view view;
    struct figure *figure =
        figure_add(figures, FIGURE_TABLE, section, points_title, "sensitivity-points");

    view_init(&view, NULL, run);
    figure_open(figure, "llrrrrr",
                "detector\tinjected by\t99 %% found from%s\ttried\tproven\tfalse alarms\t"
                "in a million",
                span_note(&view));
    for (size_t i = 0; sensitivity_curve_next(bench, &i, &curve);) {
        add_row(figure, &view, &curve);
        sensitivity_curve_free(&curve);
    }
    figure_how(
        figure,
        "From this length on, at least 99 %% of the gaps of each injected length were found; "
        "proven: the probability of being found that the trials of that length establish with 95 "
        "%% "
        "confidence. False alarms are readings that were reported without injection");
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

/* Metrics and JSON: 99 % points, false alarms and curves. */

#define DECIMALS 4

/* Treats all series as places, because the metrics below cover what they contain. */
static bool places(const char *series)
{
    (void)series;
    return true;
}

static struct metric *add_value(struct metrics *metrics, const struct run_bench *bench,
                                const char *name, const struct sensitivity_curve *curve,
                                int64_t value)
{
    char x[METRIC_X_MAX];

    snprintf(x, sizeof(x), "%s.%s", curve->detector, curve->injector);
    struct metric *metric = metrics_add(metrics, bench, name, x);

    metric_set(metric, &value, 1);
    return metric;
}

static void others(struct metrics *metrics, const struct run_bench *bench)
{
    struct sensitivity_curve curve;
    struct sensitivity_point point;

    for (size_t i = 0; sensitivity_curve_next(bench, &i, &curve);) {
        if (sensitivity_point_of(&curve, &point)) {
            add_value(metrics, bench, "p99_found", &curve, point.ticks);
        }
        if (curve.readings > 0) {
            struct metric *metric = add_value(metrics, bench, "false_alarms", &curve, 0);

            metric->values[0] = sensitivity_alarms(&curve);
            metric->unit = UNIT_COUNT;
        }
        sensitivity_curve_free(&curve);
    }
}

static void put_curve(struct json *json, const struct sensitivity_curve *curve)
{
    static const char *const members[] = {"length_ticks", "tried", "found"};
    struct sensitivity_point point = {0};
    const bool has_point = sensitivity_point_of(curve, &point);

    json_object(json, NULL);
    json_text(json, "detector", curve->detector);
    json_text(json, "injector", curve->injector);
    json_optional(json, "p99_ticks", has_point, point.ticks);
    json_bool(json, "p99_at_most", has_point && point.at_most);
    json_optional(json, "missed_ticks", has_point && !point.at_most, point.missed);
    json_number(json, "proven", has_point ? point.proven : NAN, DECIMALS);
    json_signed(json, "reading", curve->reading);
    json_signed(json, "threshold", curve->threshold);
    json_signed(json, "readings", curve->readings);
    json_signed(json, "alarms", curve->alarms);
    json_number(json, "alarms_per_million", sensitivity_alarms(curve), DECIMALS);
    for (size_t member = 0; member < 3; member++) {
        json_flat_array(json, members[member]);
        for (size_t i = 0; i < curve->n; i++) {
            const int64_t values[] = {curve->lengths[i].ticks, curve->lengths[i].tried,
                                      curve->lengths[i].found};

            json_signed(json, NULL, values[member]);
        }
        json_close(json);
    }
    json_close(json);
}

/* Writes member "curves". */
static void put(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct sensitivity_curve curve;

    (void)run;
    json_array(json, "curves");
    for (size_t i = 0; sensitivity_curve_next(bench, &i, &curve);) {
        put_curve(json, &curve);
        sensitivity_curve_free(&curve);
    }
    json_close(json);
}

PLUGIN_OF(sensitivity, .order = 372, .show = view_sensitivity, .place = PLUGIN_FOR_SERIES,
          .shows_fact = shows_fact, .figures = figures_sensitivity, .json = put,
          .metrics = {.places = places, .others = others});
