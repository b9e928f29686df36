/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/figure/page_figure.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/encoding.h"
#include "tools/base/alloc.h"
#include "tools/base/json.h"
#include "tools/base/sort.h"
#include "tools/figure/svg_parts.h"

#define POINT_SIZE     14 /* estimated characters of a point with x and y */
#define RANGE_SIZE     14 /* additional characters with low and high */
#define SPAN_SIZE      18
#define TEXT_SIZE      24   /* estimated characters of a cell */
#define STILL_SIZE     5000 /* the picture of a page without script */
#define SERIES_LEAST   2000
#define SPAN_PARTS_MIN 256
#define THRESHOLDS     128
#define WHOLE_MAX      0x1p53 /* whole numbers up to this are exact in a double */
#define FLOAT_WHOLE    0x1p24 /* whole numbers up to this are exact in a float */
#define PLACE_BITS     42
#define DIGITS         1e7
#define VARINT_MAX     10
#define PREFIX_MAX     40
#define FLOAT_WASTED   5 /* bytes per whole number above which a float is used if it is exact */

/* ---- arrays of numbers ---- */

struct bytes {
    uint8_t *item;
    size_t n, capacity;
};

static void put_byte(struct bytes *bytes, uint8_t byte)
{
    bytes->item[bytes->n++] = byte;
}

static void put_difference(struct bytes *bytes, int64_t difference)
{
    const uint64_t doubled = (uint64_t)difference << 1;
    uint64_t zigzag = difference < 0 ? ~doubled : doubled;

    while (zigzag >= 0x80) {
        put_byte(bytes, (uint8_t)(zigzag | 0x80));
        zigzag >>= 7;
    }
    put_byte(bytes, (uint8_t)zigzag);
}

static void put_little_endian(struct bytes *bytes, uint64_t value, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        put_byte(bytes, (uint8_t)(value >> (8 * i)));
    }
}

static char *finish(struct bytes *bytes, const char *prefix)
{
    const size_t length = strlen(prefix);
    char *text = alloc_zeroed(length + BASE64_ENCODED(bytes->n) + 1);

    memcpy(text, prefix, length);
    base64_encode(bytes->item, bytes->n, text + length);
    free(bytes->item);
    return text;
}

static struct bytes bytes_for(size_t n, size_t size)
{
    return (struct bytes){.item = alloc_zeroed(n * size + 1)};
}

static void put_multiples(struct bytes *bytes, const double *values, size_t n, double step)
{
    int64_t before = 0;

    for (size_t i = 0; i < n; i++) {
        const int64_t multiple = llrint(values[i] / step);

        put_difference(bytes, multiple - before);
        before = multiple;
    }
}

static bool all_whole(const double *values, size_t n)
{
    return !SEARCH_ANY(i, n, !(fabs(values[i]) < WHOLE_MAX) || values[i] != trunc(values[i]));
}

static double greatest_size(const double *values, size_t n)
{
    double greatest = 0;

    for (size_t i = 0; i < n; i++) {
        greatest = fmax(greatest, fabs(values[i]));
    }
    return greatest;
}

/* Returns a step of which all values are near enough to a multiple, or 0 if there is none. */
static double common_step(const double *values, size_t n)
{
    double least = INFINITY;
    double greatest = -INFINITY;
    int range;
    int size;

    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i])) {
            return 0;
        }
        least = fmin(least, values[i]);
        greatest = fmax(greatest, values[i]);
    }
    if (!(greatest > least) || !isfinite(greatest - least)) {
        return 0;
    }
    frexp(greatest - least, &range);
    frexp(fmax(fabs(least), fabs(greatest)), &size);
    const double step = ldexp(1, (int)fmax(range - 1 - PLACE_BITS, size - 53));

    for (size_t i = 0; i < n; i++) {
        if (values[i] != 0 && fabs(values[i]) < step * DIGITS) {
            return 0;
        }
    }
    return isnormal(step) ? step : 0;
}

static bool fit_floats(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double size = fabs(values[i]);

        if (isfinite(size) && size != 0 && (size < FLT_MIN || size > FLT_MAX)) {
            return false;
        }
    }
    return true;
}

static char *put_floats(const double *values, size_t n, bool wide)
{
    struct bytes bytes = bytes_for(n, wide ? sizeof(double) : sizeof(float));

    for (size_t i = 0; i < n; i++) {
        const float narrow = wide ? 0 : (float)values[i];
        uint64_t bits = 0;
        uint32_t narrow_bits;

        memcpy(&bits, &values[i], sizeof(bits));
        memcpy(&narrow_bits, &narrow, sizeof(narrow_bits));
        put_little_endian(&bytes, wide ? bits : narrow_bits, wide ? sizeof(double) : sizeof(float));
    }
    return finish(&bytes, wide ? "d:" : "f:");
}

char *page_numbers(const double *values, size_t n, enum page_precision precision)
{
    char prefix[PREFIX_MAX] = "i:";

    if (all_whole(values, n)) {
        struct bytes bytes = bytes_for(n, VARINT_MAX);

        put_multiples(&bytes, values, n, 1);
        if (bytes.n <= FLOAT_WASTED * n || greatest_size(values, n) > FLOAT_WHOLE) {
            return finish(&bytes, prefix);
        }
        free(bytes.item);
        return put_floats(values, n, false);
    }
    if (precision == PAGE_VALUE) {
        return put_floats(values, n, !fit_floats(values, n));
    }
    const double step = common_step(values, n);

    if (step == 0) {
        return put_floats(values, n, true);
    }
    struct bytes bytes = bytes_for(n, VARINT_MAX);

    put_multiples(&bytes, values, n, step);
    snprintf(prefix, sizeof(prefix), "q%.17g:", step);
    return finish(&bytes, prefix);
}

static const char *const kind_names[] = {
    [FIGURE_LINES] = "lines",   [FIGURE_STEPS] = "steps",   [FIGURE_STICKS] = "sticks",
    [FIGURE_POINTS] = "points", [FIGURE_BARS] = "bars",     [FIGURE_HISTOGRAM] = "histogram",
    [FIGURE_HEAT] = "heat",     [FIGURE_TABLE] = "table",   [FIGURE_TIMELINE] = "timeline",
    [FIGURE_ABSENT] = "absent", [FIGURE_STATES] = "states",
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
           (spans < most ? spans : most) * SPAN_SIZE + figure->cells.count * TEXT_SIZE + STILL_SIZE;
}

/* ---- thresholds ---- */

struct point {
    double x, y;
};

static int by_x(const void *left, const void *right)
{
    const struct point *a = left;
    const struct point *b = right;

    return SORT_ORDER(a->x, b->x);
}

/* Returns the points of a series in the order of x. The caller frees them. */
static struct point *collect_points(const struct figure_series *series)
{
    struct point *points = alloc_zeroed(series->n * sizeof(*points));
    bool in_order = true;

    for (size_t i = 0; i < series->n; i++) {
        points[i] = (struct point){series->x[i], series->y[i]};
        in_order = in_order && (i == 0 || points[i].x >= points[i - 1].x);
    }
    if (!in_order) {
        sort_stable(points, series->n, sizeof(*points), by_x);
    }
    return points;
}

/* columns of the table of a series, which has a row for each threshold */
enum threshold_column {
    THRESHOLD_COUNT,
    THRESHOLD_SUM,
    THRESHOLD_MEAN,
    THRESHOLD_DEVIATION,
    THRESHOLD_COLUMNS,
};

/* The thresholds of a figure, the greatest first. */
struct thresholds {
    double at[THRESHOLDS + 1];
    size_t rows;
};

struct threshold_table {
    double column[THRESHOLD_COLUMNS][THRESHOLDS + 1];
    double all; /* sum of all y */
};

/* Fills the row of one threshold, and keeps only the points above it. Mean and deviation of the
 * intervals between points above it are computed by Welford's recurrence. */
static size_t add_threshold(struct threshold_table *table, size_t row, struct point *points,
                            size_t n, double threshold)
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
        points[count++] = points[i];
    }
    table->column[THRESHOLD_COUNT][row] = (double)count;
    table->column[THRESHOLD_SUM][row] = sum;
    table->column[THRESHOLD_MEAN][row] = count > 1 ? mean : NAN;
    table->column[THRESHOLD_DEVIATION][row] = count > 2 ? sqrt(squares / (double)(count - 2)) : NAN;
    return count;
}

/* Chooses thresholds from the `n` points of all series, so that all series have counts for the same
 * thresholds. The figure's own threshold is one of them. */
static void choose_thresholds(struct thresholds *thresholds, const struct figure *figure, size_t n)
{
    double *sizes = alloc_zeroed(n * sizeof(*sizes));
    size_t used = 0;
    bool own = false;

    for (size_t s = 0; s < figure->series_count; s++) {
        for (size_t i = 0; i < figure->series[s].n; i++) {
            sizes[used++] = figure->series[s].y[i];
        }
    }
    sort_reals(sizes, n);
    for (size_t i = 0; i < THRESHOLDS; i++) {
        const double share = (double)i / (THRESHOLDS - 1);
        const double threshold = sizes[n - (size_t)(pow((double)n, share) + 0.5)];

        if (!own && threshold <= figure->threshold) {
            thresholds->at[thresholds->rows++] = figure->threshold;
            own = true;
        }
        if (thresholds->rows == 0 || threshold < thresholds->at[thresholds->rows - 1]) {
            thresholds->at[thresholds->rows++] = threshold;
        }
    }
    if (!own) {
        thresholds->at[thresholds->rows++] = figure->threshold;
    }
    free(sizes);
}

/* Returns a table for each series. The caller frees them. */
static struct threshold_table *fill_tables(const struct thresholds *thresholds,
                                           const struct figure *figure)
{
    struct threshold_table *tables = alloc_zeroed(figure->series_count * sizeof(*tables));

    for (size_t s = 0; s < figure->series_count; s++) {
        const struct figure_series *series = &figure->series[s];
        struct point *points = collect_points(series);

        for (size_t i = thresholds->rows, left = series->n; i-- > 0;) {
            left = add_threshold(&tables[s], i, points, left, thresholds->at[i]);
        }
        for (size_t i = 0; i < series->n; i++) {
            tables[s].all += series->y[i];
        }
        free(points);
    }
    return tables;
}

/* ---- JSON ---- */

static void put_numbers(struct json *json, const char *key, const double *values, size_t n,
                        enum page_precision precision)
{
    char *text = page_numbers(values, n, precision);

    json_text(json, key, text);
    free(text);
}

static void put_table(struct json *json, const struct threshold_table *table, size_t rows)
{
    static const char *const names[THRESHOLD_COLUMNS] = {"count", "sum", "mean", "deviation"};

    json_object(json, "thresholds");
    json_number(json, "all", table->all, 9);
    for (size_t i = 0; i < THRESHOLD_COLUMNS; i++) {
        put_numbers(json, names[i], table->column[i], rows, PAGE_VALUE);
    }
    json_close(json);
}

static void put_axis(struct json *json, const char *key, const struct figure_axis *axis)
{
    json_object(json, key);
    json_text(json, "label", axis->label);
    json_text(json, "unit", axis->unit);
    json_bool(json, "logarithmic", axis->logarithmic);
    if (axis->greatest > axis->least) {
        json_number(json, "least", axis->least, 9);
        json_number(json, "greatest", axis->greatest, 9);
    }
    json_close(json);
}

/* Returns whether the figure shows one value throughout, which a sentence could show as well. */
static bool is_flat(const struct figure *figure)
{
    const double *first = NULL;

    for (size_t s = 0; s < figure->series_count; s++) {
        const struct figure_series *series = &figure->series[s];

        for (size_t i = 0; i < series->n; i++) {
            first = first != NULL ? first : &series->y[i];
            if (!(series->y[i] >= *first && series->y[i] <= *first)) {
                return false;
            }
        }
    }
    for (size_t i = 0; figure->values != NULL && i < figure->rows.count * figure->columns.count;
         i++) {
        first = first != NULL ? first : &figure->values[i];
        if (!(figure->values[i] >= *first && figure->values[i] <= *first)) {
            return false;
        }
    }
    return first != NULL && (figure->kind == FIGURE_LINES || figure->kind == FIGURE_HEAT);
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
                       const struct figure_series *series, size_t total,
                       const struct threshold_table *table, size_t rows)
{
    const enum page_precision x = figure->x.logarithmic ? PAGE_VALUE : PAGE_PLACE;
    const enum page_precision range = figure->kind == FIGURE_HISTOGRAM ? x : PAGE_VALUE;

    json_object(json, NULL);
    json_text(json, "name", series->name);
    JSON_COUNTS(json, {"n", series->n}, {"total", total});
    if (series->aside) {
        json_bool(json, "aside", true);
    }
    if (series->reference) {
        json_bool(json, "reference", true);
    }
    if (table != NULL) {
        put_table(json, table, rows);
    }
    put_numbers(json, "x", series->x, series->n, x);
    put_numbers(json, "y", series->y, series->n, PAGE_VALUE);
    if (series->low != NULL) {
        put_numbers(json, "low", series->low, series->n, range);
        put_numbers(json, "high", series->high, series->n, range);
    }
    json_close(json);
}

/* If the page cannot hold all points, returns tables of counts above thresholds; otherwise returns
 * NULL. */
static struct threshold_table *put_thresholds(struct json *json, const struct figure *figure,
                                              size_t most, size_t *rows)
{
    const size_t points = count_points(figure);
    struct thresholds thresholds = {.rows = 0};

    *rows = 0;
    if (!figure->has_threshold || points <= most || figure->kind == FIGURE_HISTOGRAM) {
        return NULL;
    }
    choose_thresholds(&thresholds, figure, points);
    *rows = thresholds.rows;
    json_object(json, "thresholds");
    json_unsigned(json, "rows", thresholds.rows);
    put_numbers(json, "at", thresholds.at, thresholds.rows, PAGE_VALUE);
    json_close(json);
    return fill_tables(&thresholds, figure);
}

static void put_all_series(struct json *json, struct figure *figure, size_t most)
{
    const size_t points = count_points(figure);
    size_t *totals = alloc_zeroed((figure->series_count + 1) * sizeof(*totals));
    size_t rows;
    struct threshold_table *tables = put_thresholds(json, figure, most, &rows);

    for (size_t i = 0; i < figure->series_count; i++) {
        totals[i] = figure->series[i].n;
    }
    if (points > most && figure->series_count > 0) {
        const size_t even = most / figure->series_count;

        figure_reduce(figure, even > SERIES_LEAST ? even : SERIES_LEAST);
    }
    json_array(json, "series");
    for (size_t i = 0; i < figure->series_count; i++) {
        put_series(json, figure, &figure->series[i], totals[i], tables != NULL ? &tables[i] : NULL,
                   rows);
    }
    json_close(json);
    free(totals);
    free(tables);
}

static void put_spans(struct json *json, struct figure *figure, size_t most)
{
    const size_t total = figure->span_count;

    for (size_t parts = most; figure->span_count > most && parts > SPAN_PARTS_MIN; parts /= 2) {
        figure_reduce(figure, parts);
    }
    const size_t n = figure->span_count;
    double *columns = alloc_zeroed((5 * n + 1) * sizeof(*columns));

    json_object(json, "spans");
    JSON_COUNTS(json, {"n", n}, {"total", total});
    for (size_t i = 0; i < n; i++) {
        const struct figure_span *span = &figure->spans[i];

        columns[i] = span->begin;
        columns[n + i] = span->end;
        columns[2 * n + i] = span->lane;
        columns[3 * n + i] = span->state;
        columns[4 * n + i] = span->name;
    }
    put_numbers(json, "begin", columns, n, PAGE_PLACE);
    put_numbers(json, "end", columns + n, n, PAGE_PLACE);
    put_numbers(json, "lane", columns + 2 * n, n, PAGE_VALUE);
    put_numbers(json, "state", columns + 3 * n, n, PAGE_VALUE);
    if (figure->span_names.count > 0) {
        put_numbers(json, "name", columns + 4 * n, n, PAGE_VALUE);
        put_list(json, "names", &figure->span_names);
    }
    json_close(json);
    free(columns);
}

/* Puts the drawing of a figure that a page draws as an SVG file does. */
static void put_drawing(struct json *json, const struct figure *figure)
{
    char *body = NULL;
    size_t size = 0;
    struct svg_canvas canvas = {.out = open_memstream(&body, &size), .width = SVG_WIDTH};

    if (canvas.out != NULL) {
        svg_states(&canvas, figure);
        fclose(canvas.out);
        json_text(json, "drawing", body);
        json_number(json, "height", canvas.bottom, 6);
        free(body);
    }
}

void page_figure_write(struct json *json, struct figure *figure, size_t most)
{
    json_object(json, NULL);
    JSON_TEXTS(json, {"kind", kind_names[figure->kind]}, {"id", figure->id},
               {"section", figure->section}, {"title", figure->title}, {"how", figure->how},
               {"absent", figure->absent});
    put_axis(json, "x", &figure->x);
    put_axis(json, "y", &figure->y);
    if (figure->has_threshold) {
        json_number(json, "threshold", figure->threshold, 9);
        json_text(json, "threshold_name", figure->threshold_name);
    }
    if (figure->variant != NULL) {
        json_text(json, "variant", figure->variant);
        json_bool(json, "beside", figure->beside);
    }
    if (is_flat(figure)) {
        json_bool(json, "flat", true);
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
    json_text(json, "alignment", figure->alignment);
    if (figure->values != NULL) {
        put_numbers(json, "values", figure->values, figure->rows.count * figure->columns.count,
                    PAGE_VALUE);
    }
    if (figure->kind == FIGURE_STATES) {
        put_drawing(json, figure);
    }
    if (figure->kind == FIGURE_TIMELINE) {
        put_spans(json, figure, most);
    }
    json_close(json);
}
