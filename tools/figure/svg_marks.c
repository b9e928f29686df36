/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands in a field: lines, steps, sticks, points and bins of one series. */
#include <math.h>
#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/figure/svg_parts.h"

#define COLUMNS_MAX   640
#define SCATTERED_MAX 1000 /* of a cloud; with more it is drawn in cells */
#define CELL          2
#define WHISKER       3.0
#define POINTS_KEPT   4

/* ---- where points are ---- */

struct place {
    double x, y;
};

static bool place_of(const struct svg_field *field, const struct figure_series *series, size_t i,
                     struct place *place)
{
    *place = (struct place){svg_place(&field->x, series->x[i]), svg_place(&field->y, series->y[i])};
    return isfinite(place->x) && isfinite(place->y);
}

/* ---- lines and steps ---- */

/* Of a column of pixels, in the order in which they come. */
struct column {
    double at;
    size_t count;
    struct place first, least, greatest, last;
    bool least_is_earlier;
};

static void put_point(FILE *out, bool steps, bool begins, const struct place *place)
{
    if (begins) {
        svg_path(out, 'M', 2, place->x, place->y);
    } else if (steps) {
        svg_path(out, 'H', 1, place->x);
        svg_path(out, 'V', 1, place->y);
    } else {
        svg_path(out, 'L', 2, place->x, place->y);
    }
}

static void put_column(FILE *out, bool steps, bool *begins, const struct column *column)
{
    const struct place kept[POINTS_KEPT] = {
        column->first, column->least_is_earlier ? column->least : column->greatest,
        column->least_is_earlier ? column->greatest : column->least, column->last};

    for (size_t i = 0; i < POINTS_KEPT && column->count > 0; i++) {
        if (i == 0 || kept[i].x != kept[i - 1].x || kept[i].y != kept[i - 1].y) {
            put_point(out, steps, *begins, &kept[i]);
            *begins = false;
        }
    }
}

static void add_to_column(struct column *column, const struct place *place)
{
    if (column->count++ == 0) {
        column->first = column->least = column->greatest = *place;
    } else if (place->y < column->greatest.y) { /* y grows downwards */
        column->greatest = *place;
        column->least_is_earlier = true;
    } else if (place->y > column->least.y) {
        column->least = *place;
        column->least_is_earlier = false;
    }
    column->last = *place;
}

static void draw_line(FILE *out, const struct svg_field *field, const struct figure_series *series,
                      size_t index, bool steps)
{
    struct column column = {0};
    bool begins = true;
    struct place place;

    fputs("<path d=\"", out);
    for (size_t i = 0; i < series->n; i++) {
        const bool there = place_of(field, series, i, &place);

        if (column.count > 0 && (!there || floor(place.x) != column.at)) {
            put_column(out, steps, &begins, &column);
            column.count = 0;
        }
        if (there) {
            column.at = floor(place.x);
            add_to_column(&column, &place);
        }
        begins = begins || !there;
    }
    put_column(out, steps, &begins, &column);
    fprintf(out, "\" fill=\"none\" stroke-width=\"1.4\" stroke-linejoin=\"round\"%s/>\n",
            svg_dashes(index));
}

static void draw_markers(FILE *out, const struct svg_field *field,
                         const struct figure_series *series, size_t index)
{
    struct place place;

    fputs("<path d=\"", out);
    for (size_t i = 0; i < series->n; i++) {
        if (place_of(field, series, i, &place)) {
            svg_marker(out, index, place.x, place.y);
        }
    }
    fprintf(out, "\"%s/>\n", svg_marker_paint(index));
}

/* From low to high, with a bar across both ends. */
static void draw_deviations(FILE *out, const struct svg_field *field,
                            const struct figure_series *series)
{
    fputs("<path d=\"", out);
    for (size_t i = 0; i < series->n; i++) {
        const double x = svg_place(&field->x, series->x[i]);
        const double low = svg_place(&field->y, series->low[i]);
        const double high = svg_place(&field->y, series->high[i]);

        if (isfinite(x) && isfinite(low) && isfinite(high) && low - high > 1) {
            svg_whisker(out, x, WHISKER, low, high);
        }
    }
    fputs("\" fill=\"none\" stroke=\"#555\" stroke-width=\"0.8\"/>\n", out);
}

/* ---- sticks ---- */

static double base_of(const struct svg_field *field)
{
    const double zero = svg_place(&field->y, 0);

    return isfinite(zero) ? fmin(zero, field->bottom) : field->bottom;
}

/* Of each column of pixels the stick that goes highest, and the one that goes lowest. */
static void draw_sticks(FILE *out, const struct svg_field *field,
                        const struct figure_series *series, size_t index)
{
    const double base = base_of(field);
    double high[COLUMNS_MAX];
    double low[COLUMNS_MAX];
    struct place place;

    for (size_t i = 0; i < COLUMNS_MAX; i++) {
        high[i] = low[i] = base;
    }
    for (size_t i = 0; i < series->n; i++) {
        if (place_of(field, series, i, &place) && place.x >= 0 && place.x < COLUMNS_MAX) {
            const size_t column = (size_t)place.x;

            high[column] = fmin(high[column], place.y);
            low[column] = fmax(low[column], place.y);
        }
    }
    fputs("<path d=\"", out);
    for (size_t i = 0; i < COLUMNS_MAX; i++) {
        if (high[i] < low[i]) {
            svg_path(out, 'M', 2, (double)i + 0.5, low[i]);
            svg_path(out, 'V', 1, high[i]);
        }
    }
    fprintf(out, "\" fill=\"none\" stroke=\"%s\"/>\n", svg_stick_grey(index));
}

/* ---- points ---- */

/* The runs of cells of one column that hold a point; x: its middle. */
static void put_cell_runs(FILE *out, const struct svg_field *field, const bool *cells, size_t rows,
                          double x)
{
    for (size_t i = 0; i < rows; i++) {
        if (cells[i] && (i == 0 || !cells[i - 1])) {
            svg_path(out, 'M', 2, x, field->top + (double)(i * CELL));
        }
        if (cells[i] && (i + 1 == rows || !cells[i + 1])) {
            svg_path(out, 'V', 1, field->top + (double)((i + 1) * CELL));
        }
    }
}

/* A dense cloud: in each column of cells the runs of those that hold a point. */
static void draw_cells(FILE *out, const struct svg_field *field, const struct figure_series *series,
                       size_t index)
{
    const size_t columns = (size_t)(field->right - field->left) / CELL + 1;
    const size_t rows = (size_t)(field->bottom - field->top) / CELL + 1;
    bool *cells = alloc_zeroed(columns * rows);
    struct place place;

    for (size_t i = 0; i < series->n; i++) {
        if (place_of(field, series, i, &place)) {
            const size_t column = (size_t)fmax(0, (place.x - field->left) / CELL);
            const size_t row = (size_t)fmax(0, (place.y - field->top) / CELL);

            cells[(column < columns ? column : columns - 1) * rows +
                  (row < rows ? row : rows - 1)] = true;
        }
    }
    fputs("<path d=\"", out);
    for (size_t i = 0; i < columns; i++) {
        put_cell_runs(out, field, cells + i * rows, rows, field->left + CELL * ((double)i + 0.5));
    }
    fprintf(out, "\" fill=\"none\" stroke-width=\"%d\" stroke=\"%s\"/>\n", CELL,
            index % 2 == 0 ? "#000" : "#888");
    free(cells);
}

static void draw_points(FILE *out, const struct svg_field *field,
                        const struct figure_series *series, size_t index)
{
    if (series->n > SCATTERED_MAX) {
        draw_cells(out, field, series, index);
    } else {
        draw_markers(out, field, series, index);
    }
}

/* ---- histograms ---- */

/* The outline of all bins: a column of pixels is as high as the highest bin that touches it. */
static void draw_bins(FILE *out, const struct svg_field *field, const struct figure_series *series,
                      size_t index)
{
    const double base = base_of(field);
    double high[COLUMNS_MAX];
    double before = base;

    for (size_t i = 0; i < COLUMNS_MAX; i++) {
        high[i] = base;
    }
    for (size_t i = 0; i < series->n && series->low != NULL; i++) {
        const double low = svg_place(&field->x, series->low[i]);
        const double end = svg_place(&field->x, series->high[i]);
        const double y = svg_place(&field->y, series->y[i]);

        if (!isfinite(end) || !isfinite(y)) {
            continue;
        }
        const double from = isfinite(low) ? fmax(low, field->left) : field->left;
        const double to = fmin(end, field->right);

        for (double x = floor(from); x == floor(from) || x < floor(to); x++) {
            high[(size_t)x] = fmin(high[(size_t)x], y);
        }
    }
    fputs("<path d=\"", out);
    svg_path(out, 'M', 2, field->left, base);
    for (size_t i = 0; i < (size_t)field->right; i++) {
        if (high[i] != before) {
            svg_path(out, 'H', 1, (double)i);
            svg_path(out, 'V', 1, high[i]);
            before = high[i];
        }
    }
    svg_path(out, 'H', 1, field->right);
    svg_path(out, 'V', 1, base);
    fprintf(out, "\" fill=\"%s\"%s/>\n", index == 0 ? "#ccc" : "none", svg_dashes(index));
}

/* ---- references ---- */

/* Its name stands above its end. */
static void draw_reference(FILE *out, const struct svg_field *field,
                           const struct figure_series *series)
{
    struct place place;
    struct place end = {NAN, NAN};
    bool begins = true;

    fputs("<path d=\"", out);
    for (size_t i = 0; i < series->n; i++) {
        if (!place_of(field, series, i, &place)) {
            begins = true;
            continue;
        }
        put_point(out, false, begins, &place);
        begins = false;
        end = place;
    }
    fputs("\" fill=\"none\" stroke=\"#000\" stroke-dasharray=\"6 3\"/>\n", out);
    if (isfinite(end.x) && series->name != NULL) {
        svg_text(out, fmin(end.x, field->right - 3), fmax(end.y - 3, field->top + 11), SVG_END,
                 SVG_NOTE_SIZE, " stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"",
                 series->name);
    }
}

/* ---- one series ---- */

void svg_draw_series(FILE *out, const struct figure *figure, const struct svg_field *field,
                     size_t index)
{
    const struct figure_series *series = &figure->series[index];

    if (series->reference) {
        draw_reference(out, field, series);
        return;
    }
    switch (figure->kind) {
    case FIGURE_STICKS:
        draw_sticks(out, field, series, index);
        return;
    case FIGURE_HISTOGRAM:
        draw_bins(out, field, series, index);
        return;
    case FIGURE_POINTS:
        draw_points(out, field, series, index);
        break;
    default:
        draw_line(out, field, series, index, figure->kind == FIGURE_STEPS);
        if (series->n <= SVG_MARKERS_MAX && figure->kind == FIGURE_LINES) {
            draw_markers(out, field, series, index);
        }
    }
    if (series->low != NULL && series->n <= SVG_MARKERS_MAX) {
        draw_deviations(out, field, series);
    }
}
