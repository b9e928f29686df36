/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/figure/page_figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/figure/page_numbers.h"

#define POINT_SIZE     14 /* characters, with x and y */
#define RANGE_SIZE     14 /* more, with low and high */
#define SPAN_SIZE      18
#define TEXT_SIZE      24 /* of a cell */
#define SERIES_LEAST   2000
#define SPAN_PARTS_MIN 256
#define THRESHOLDS     128

static const char *const kind_names[] = {
    [FIGURE_LINES] = "lines",   [FIGURE_STEPS] = "steps", [FIGURE_STICKS] = "sticks",
    [FIGURE_POINTS] = "points", [FIGURE_BARS] = "bars",   [FIGURE_HISTOGRAM] = "histogram",
    [FIGURE_HEAT] = "heat",     [FIGURE_TABLE] = "table", [FIGURE_TIMELINE] = "timeline",
    [FIGURE_ABSENT] = "absent",
};

static size_t count_points(const struct figure *figure)
{
    size_t points = 0;

    for (size_t i = 0; i < figure->series_count; i++) {
        points += figure->series[i].n;
    }
    return points;
}

size_t page_figure_size(const struct figure *figure, size_t most)
{
    const size_t points = count_points(figure);
    const bool ranges = figure->series_count > 0 && figure->series[0].low != NULL;
    const size_t spans = figure->span_count;

    return (points < most ? points : most) * (POINT_SIZE + (ranges ? RANGE_SIZE : 0)) +
           (spans < most ? spans : most) * SPAN_SIZE + figure->cells.count * TEXT_SIZE;
}

/* ---- thresholds ---- */

struct point {
    double x, y;
};

static int by_x(const void *left, const void *right)
{
    const struct point *a = left;
    const struct point *b = right;

    return (a->x > b->x) - (a->x < b->x);
}

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;

    return (a < b) - (a > b);
}

/* All points, in the order of x; the caller frees them. */
static struct point *collect_points(const struct figure *figure, size_t n)
{
    struct point *points = alloc_zeroed(n * sizeof(*points));
    bool in_order = true;
    size_t at = 0;

    for (size_t i = 0; i < figure->series_count; i++) {
        const struct figure_series *series = &figure->series[i];

        for (size_t k = 0; k < series->n; k++, at++) {
            points[at] = (struct point){series->x[k], series->y[k]};
            in_order = in_order && (at == 0 || points[at].x >= points[at - 1].x);
        }
    }
    if (!in_order) {
        qsort(points, n, sizeof(*points), by_x);
    }
    return points;
}

/* Columns of the table: a row for each threshold. */
enum threshold_column {
    THRESHOLD_AT,
    THRESHOLD_COUNT,
    THRESHOLD_SUM,
    THRESHOLD_MEAN,
    THRESHOLD_DEVIATION,
    THRESHOLD_COLUMNS,
};

struct threshold_table {
    double column[THRESHOLD_COLUMNS][THRESHOLDS];
    size_t rows;
};

/* Welford's recurrence, over the intervals between points above the threshold. */
static void add_threshold(struct threshold_table *table, const struct point *points, size_t n,
                          double threshold)
{
    size_t count = 0;
    double sum = 0;
    double mean = 0;
    double squares = 0;
    double before = 0;

    for (size_t i = 0; i < n; i++) {
        if (!(points[i].y > threshold)) {
            continue;
        }
        if (count > 0) {
            const double interval = points[i].x - before;
            const double distance = interval - mean;

            mean += distance / (double)count;
            squares += distance * (interval - mean);
        }
        before = points[i].x;
        sum += points[i].y;
        count++;
    }
    const size_t row = table->rows++;

    table->column[THRESHOLD_AT][row] = threshold;
    table->column[THRESHOLD_COUNT][row] = (double)count;
    table->column[THRESHOLD_SUM][row] = sum;
    table->column[THRESHOLD_MEAN][row] = count > 1 ? mean : NAN;
    table->column[THRESHOLD_DEVIATION][row] = count > 2 ? sqrt(squares / (double)(count - 2)) : NAN;
}

static void fill_thresholds(struct threshold_table *table, const struct figure *figure, size_t n)
{
    struct point *points = collect_points(figure, n);
    double *sizes = alloc_zeroed(n * sizeof(*sizes));

    for (size_t i = 0; i < n; i++) {
        sizes[i] = points[i].y;
    }
    qsort(sizes, n, sizeof(*sizes), by_size);
    for (size_t i = 0; i < THRESHOLDS; i++) {
        const double share = (double)i / (THRESHOLDS - 1);
        const double threshold = sizes[(size_t)(pow((double)n, share) + 0.5) - 1];

        if (table->rows == 0 || threshold < table->column[THRESHOLD_AT][table->rows - 1]) {
            add_threshold(table, points, n, threshold);
        }
    }
    free(points);
    free(sizes);
}

/* ---- JSON ---- */

static void put_numbers(struct json *json, const char *key, const double *values, size_t n,
                        enum page_precision precision)
{
    char *text = page_numbers(values, n, precision);

    json_text(json, key, text);
    free(text);
}

static void put_thresholds(struct json *json, const struct figure *figure)
{
    static const char *const names[THRESHOLD_COLUMNS] = {"at", "count", "sum", "mean", "deviation"};
    struct threshold_table table = {.rows = 0};

    fill_thresholds(&table, figure, count_points(figure));
    json_object(json, "thresholds");
    json_unsigned(json, "rows", table.rows);
    for (size_t i = 0; i < THRESHOLD_COLUMNS; i++) {
        put_numbers(json, names[i], table.column[i], table.rows, PAGE_VALUE);
    }
    json_close(json);
}

static void put_axis(struct json *json, const char *key, const struct figure_axis *axis)
{
    json_object(json, key);
    json_text(json, "label", axis->label);
    json_text(json, "unit", axis->unit);
    json_bool(json, "logarithmic", axis->logarithmic);
    json_close(json);
}

static void put_list(struct json *json, const char *key, const struct figure_list *list)
{
    if (list->count == 0) {
        return;
    }
    json_array(json, key);
    for (size_t i = 0; i < list->count; i++) {
        json_text(json, NULL, list->item[i]);
    }
    json_close(json);
}

static void put_series(struct json *json, const struct figure *figure,
                       const struct figure_series *series, size_t total)
{
    const enum page_precision x = figure->x.logarithmic ? PAGE_VALUE : PAGE_PLACE;
    const enum page_precision range = figure->kind == FIGURE_HISTOGRAM ? x : PAGE_VALUE;

    json_object(json, NULL);
    json_text(json, "name", series->name);
    json_unsigned(json, "n", series->n);
    json_unsigned(json, "total", total);
    put_numbers(json, "x", series->x, series->n, x);
    put_numbers(json, "y", series->y, series->n, PAGE_VALUE);
    if (series->low != NULL) {
        put_numbers(json, "low", series->low, series->n, range);
        put_numbers(json, "high", series->high, series->n, range);
    }
    json_close(json);
}

static void put_all_series(struct json *json, struct figure *figure, size_t most)
{
    const size_t points = count_points(figure);
    size_t *totals = alloc_zeroed((figure->series_count + 1) * sizeof(*totals));

    for (size_t i = 0; i < figure->series_count; i++) {
        totals[i] = figure->series[i].n;
    }
    if (points > most && figure->series_count > 0) {
        const size_t even = most / figure->series_count;

        figure_reduce(figure, even > SERIES_LEAST ? even : SERIES_LEAST);
    }
    json_array(json, "series");
    for (size_t i = 0; i < figure->series_count; i++) {
        put_series(json, figure, &figure->series[i], totals[i]);
    }
    json_close(json);
    free(totals);
}

static void put_spans(struct json *json, struct figure *figure, size_t most)
{
    const size_t total = figure->span_count;

    for (size_t parts = most; figure->span_count > most && parts > SPAN_PARTS_MIN; parts /= 2) {
        figure_reduce(figure, parts);
    }
    const size_t n = figure->span_count;
    double *column = alloc_zeroed((n + 1) * sizeof(*column));

    json_object(json, "spans");
    json_unsigned(json, "n", n);
    json_unsigned(json, "total", total);
    for (size_t i = 0; i < n; i++) {
        column[i] = figure->spans[i].begin;
    }
    put_numbers(json, "begin", column, n, PAGE_PLACE);
    for (size_t i = 0; i < n; i++) {
        column[i] = figure->spans[i].end;
    }
    put_numbers(json, "end", column, n, PAGE_PLACE);
    for (size_t i = 0; i < n; i++) {
        column[i] = figure->spans[i].lane;
    }
    put_numbers(json, "lane", column, n, PAGE_VALUE);
    for (size_t i = 0; i < n; i++) {
        column[i] = figure->spans[i].state;
    }
    put_numbers(json, "state", column, n, PAGE_VALUE);
    json_close(json);
    free(column);
}

void page_figure_write(struct json *json, struct figure *figure, size_t most)
{
    const bool reduced = count_points(figure) > most;

    json_object(json, NULL);
    json_text(json, "kind", kind_names[figure->kind]);
    json_text(json, "id", figure->id);
    json_text(json, "section", figure->section);
    json_text(json, "title", figure->title);
    json_text(json, "how", figure->how);
    json_text(json, "absent", figure->absent);
    put_axis(json, "x", &figure->x);
    put_axis(json, "y", &figure->y);
    if (figure->has_threshold) {
        json_number(json, "threshold", figure->threshold, 9);
        if (reduced && figure->kind != FIGURE_HISTOGRAM) {
            put_thresholds(json, figure);
        }
    }
    if (figure->averaged) {
        json_bool(json, "averaged", true);
    }
    put_all_series(json, figure, most);
    put_list(json, "groups", &figure->groups);
    put_list(json, "rows", &figure->rows);
    put_list(json, "columns", &figure->columns);
    put_list(json, "lanes", &figure->lanes);
    put_list(json, "states", &figure->states);
    put_list(json, "cells", &figure->cells);
    json_text(json, "alignment", figure->alignment);
    if (figure->values != NULL) {
        put_numbers(json, "values", figure->values, figure->rows.count * figure->columns.count,
                    PAGE_VALUE);
    }
    if (figure->kind == FIGURE_TIMELINE) {
        put_spans(json, figure, most);
    }
    json_close(json);
}
