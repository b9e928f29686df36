/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints bench `sensitivity`: 99 % points, false alarms, and each curve as a line of digits. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/host/sensitivity.h"
#include "bench/noise/names.h"
#include "tools/base/alloc.h"
#include "tools/present/reading.h"

#define NAME_BYTES 48
#define TENTHS     10

static void add_point(struct table *table, const struct view *view,
                      const struct sensitivity_curve *curve)
{
    struct sensitivity_point point;
    char text[AMOUNT_MAX];

    if (!sensitivity_point_of(curve, &point)) {
        table_format(table, "> %s",
                     span_text(view, (double)curve->lengths[curve->n - 1].ticks, text));
        table_text(table, NULL);
        return;
    }
    table_format(table, "%s%s", point.at_most ? "<= " : "",
                 span_text(view, (double)point.ticks, text));
    table_format(table, "%.1f %%", 100 * point.proven);
}

static void add_alarms(struct table *table, const struct sensitivity_curve *curve)
{
    if (curve->readings <= 0) {
        table_text(table, NULL);
    } else if (curve->alarms == 0) {
        table_format(table, "< %.3g", sensitivity_alarms_bound(curve));
    } else {
        table_format(table, "%.3g", sensitivity_alarms(curve));
    }
}

static void print_points(const struct view *view, const struct run_bench *bench)
{
    static const char *const heads[] = {"detector", "injected by",    "99 % from",  "proven",
                                        "reading",  "reports beyond", "alarms/10^6"};
    struct sensitivity_curve curve;
    struct table table;
    char text[AMOUNT_MAX];

    table_head(&table, "llrrrrr", heads);
    for (size_t i = 0; sensitivity_curve_next(bench, &i, &curve);) {
        table_row(&table);
        table_text(&table, curve.detector);
        table_text(&table, curve.injector);
        add_point(&table, view, &curve);
        table_text(&table, span_text(view, (double)curve.reading, text));
        table_text(&table, span_text(view, (double)curve.threshold, text));
        add_alarms(&table, &curve);
        sensitivity_curve_free(&curve);
    }
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

/* '-' not tried, '.' none found, '#' all, else tenths. */
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
    static const char *const heads[] = {"found", "from", "to", "of each length, by length"};
    struct sensitivity_curve curve;
    struct table table;

    table_head(&table, "lrrl", heads);
    for (size_t i = 0; sensitivity_curve_next(bench, &i, &curve);) {
        char text[AMOUNT_MAX];
        char *digits = alloc_zeroed(curve.n + 1);

        for (size_t k = 0; k < curve.n; k++) {
            digits[k] = digit_of(&curve.lengths[k]);
        }
        table_row(&table);
        table_format(&table, "%s.%s", curve.detector, curve.injector);
        table_text(&table, span_text(view, (double)curve.lengths[0].ticks, text));
        table_text(&table, span_text(view, (double)curve.lengths[curve.n - 1].ticks, text));
        table_text(&table, digits);
        free(digits);
        sensitivity_curve_free(&curve);
    }
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

static void view_sensitivity(const struct view *view, const struct run_bench *bench)
{
    struct sensitivity_curve curve;
    size_t index = 0;

    if (!sensitivity_curve_next(bench, &index, &curve)) {
        print_paragraph(view->out, "no curve: samples are missing, or no injector is here");
        return;
    }
    sensitivity_curve_free(&curve);
    print_paragraph(
        view->out,
        "99 %% from: gaps of that length or longer are found, 99 %% of each length that "
        "was tried; proven: the chance that the trials prove with 95 %% confidence. "
        "Alarms: readings reported without injection, in a million%s",
        span_note(view));
    print_points(view, bench);
    print_paragraph(view->out, ". none found, 1 to 9 tenths, # all, - not tried%s",
                    span_note(view));
    print_curves(view, bench);
}

static bool has_suffix(const char *name, const char *suffix)
{
    const size_t length = strlen(name);
    const size_t end = strlen(suffix);

    return length >= end && strcmp(name + length - end, suffix) == 0;
}

static bool shows_fact(const struct run_fact *fact)
{
    return has_suffix(fact->name, SUFFIX_READING) || has_suffix(fact->name, SUFFIX_THRESHOLD) ||
           has_suffix(fact->name, SUFFIX_READINGS) || has_suffix(fact->name, SUFFIX_ALARMS);
}

READING_REGISTER(sensitivity_view) = {.bench = BENCH_SENSITIVITY,
                                      .order = 206,
                                      .show = view_sensitivity,
                                      .place = READING_FOR_SERIES,
                                      .shows_fact = shows_fact};
