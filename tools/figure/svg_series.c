/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws figures of series over two axes as SVG. */
#include <math.h>
#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/figure/svg_parts.h"

#define HEIGHT           270.0
#define MARKER_ROOM      0.03 /* room for markers at both ends of an axis, as a share of it */
#define LOGARITHMIC_ROOM 1.03 /* the same for a logarithmic axis, as a factor */
/* With more points than this a line has neither markers nor deviations, because they would overlap.
 */
#define MARKERS_MAX   60
#define COLUMNS_MAX   640
#define SCATTERED_MAX 1000 /* with more points than this a cloud is drawn in cells */
#define CELL          2
#define WHISKER       3.0
#define POINTS_KEPT   4

/* Returns the grey of a series of sticks. Neighbours differ, because phases follow each other in
 * time. */
static const char *stick_grey(size_t index)
{
    static const char *const greys[] = {"#000", "#888", "#555"};

    return greys[index % 3];
}

struct place {
    double x, y;
};

static bool place_of(const struct svg_field *field, const struct figure_series *series, size_t i,
                     struct place *place)
{
    *place = (struct place){svg_place(&field->x, series->x[i]), svg_place(&field->y, series->y[i])};
    return isfinite(place->x) && isfinite(place->y);
}

/* the points of one column of pixels, in the order in which they come */
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

/* Draws deviations from low to high, with a bar across both ends. */
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

static double base_of(const struct svg_field *field)
{
    const double zero = svg_place(&field->y, 0);

    return isfinite(zero) ? fmin(zero, field->bottom) : field->bottom;
}

/* Draws, for each column of pixels, the stick that goes highest and the one that goes lowest. */
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
    fprintf(out, "\" fill=\"none\" stroke=\"%s\"/>\n", stick_grey(index));
}

/* Draws the runs of cells with a point in one column of cells; x is the middle of the column. */
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

/* Draws a dense cloud: for each column of cells, the runs of those with a point. */
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

/* Draws the outline of all bins: a column of pixels is as high as the highest bin that touches it.
 */
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

/* Draws a reference line, with its name above its end. */
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

static void draw_series(FILE *out, const struct figure *figure, const struct svg_field *field,
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
        if (series->n <= MARKERS_MAX && figure->kind == FIGURE_LINES) {
            draw_markers(out, field, series, index);
        }
    }
    if (series->low != NULL && series->n <= MARKERS_MAX) {
        draw_deviations(out, field, series);
    }
}

static void sample_line(FILE *out, size_t index, double x, double y)
{
    char attributes[96];

    snprintf(attributes, sizeof(attributes), " stroke-width=\"1.4\"%s", svg_dashes(index));
    svg_line(out, x, y, x + SVG_SAMPLE_WIDTH - 5, y, attributes);
}

static void sample_marker(FILE *out, size_t index, double x, double y)
{
    fputs("<path d=\"", out);
    svg_marker(out, index, x + (SVG_SAMPLE_WIDTH - 5) / 2, y);
    fprintf(out, "\"%s/>\n", svg_marker_paint(index));
}

static void sample_marked_line(FILE *out, size_t index, double x, double y)
{
    sample_line(out, index, x, y);
    sample_marker(out, index, x, y);
}

static void sample_bin(FILE *out, size_t index, double x, double y)
{
    char attributes[96];

    snprintf(attributes, sizeof(attributes), " fill=\"%s\"%s", index == 0 ? "#ccc" : "none",
             svg_dashes(index));
    svg_rectangle(out, x, y - 4, SVG_SAMPLE_WIDTH - 6, 8, attributes);
}

static void sample_stick(FILE *out, size_t index, double x, double y)
{
    char attributes[96];

    snprintf(attributes, sizeof(attributes), " stroke-width=\"4\" stroke=\"%s\"",
             stick_grey(index));
    svg_line(out, x, y, x + SVG_SAMPLE_WIDTH - 5, y, attributes);
}

/* Returns the number of series that are drawn. Series set aside are the last ones. */
static size_t series_count(const struct figure *figure)
{
    size_t count = figure->series_count;

    while (count > 0 && figure->series[count - 1].aside) {
        count--;
    }
    return count;
}

void svg_series_legend(struct svg_canvas *canvas, const struct figure *figure,
                       void (*sample)(FILE *out, size_t index, double x, double y))
{
    const size_t count = series_count(figure);
    const char **names = alloc_zeroed((count + 1) * sizeof(*names));
    bool named = count > 1;

    for (size_t i = 0; i < count; i++) {
        const struct figure_series *series = &figure->series[i];

        if (!series->reference || figure->kind == FIGURE_BARS) {
            names[i] = series->name != NULL ? series->name : "";
            named = named || names[i][0] != '\0';
        }
    }
    svg_legend(canvas, names, named ? count : 0, sample);
    free(names);
}

static void draw_legend(struct svg_canvas *canvas, const struct figure *figure)
{
    bool marked = figure->kind == FIGURE_LINES;

    for (size_t i = 0; i < series_count(figure); i++) {
        marked = marked && figure->series[i].n <= MARKERS_MAX;
    }
    svg_series_legend(canvas, figure,
                      figure->kind == FIGURE_POINTS      ? sample_marker
                      : figure->kind == FIGURE_STICKS    ? sample_stick
                      : figure->kind == FIGURE_HISTOGRAM ? sample_bin
                      : marked                           ? sample_marked_line
                                                         : sample_line);
}

static void extend_by(const struct figure *figure, const struct figure_series *series,
                      struct svg_extent *x, struct svg_extent *y)
{
    const bool bins = figure->kind == FIGURE_HISTOGRAM;

    for (size_t i = 0; i < series->n; i++) {
        svg_extend(x, &figure->x, series->x[i]);
        svg_extend(y, &figure->y, series->y[i]);
        if (series->low != NULL && (bins || series->n <= MARKERS_MAX)) {
            svg_extend(bins ? x : y, bins ? &figure->x : &figure->y, series->low[i]);
            svg_extend(bins ? x : y, bins ? &figure->x : &figure->y, series->high[i]);
        }
    }
}

/* Returns whether the figure has markers or deviations, which need room inside the frame. */
static bool has_whiskers(const struct figure *figure)
{
    for (size_t i = 0; i < series_count(figure); i++) {
        if (figure->kind == FIGURE_LINES && figure->series[i].low != NULL) {
            return true;
        }
    }
    return figure->kind == FIGURE_POINTS;
}

/* Extends the range to the one that the axis must show. */
static void extend_to(struct svg_extent *extent, const struct figure_axis *axis)
{
    if (axis->greatest > axis->least) {
        svg_extend(extent, axis, axis->least);
        svg_extend(extent, axis, axis->greatest);
    }
}

/* Sets both scales. Returns the number of points that have no place on them. */
static size_t set_scales(const struct figure *figure, struct svg_field *field)
{
    const bool base = figure->kind == FIGURE_STICKS || figure->kind == FIGURE_HISTOGRAM;
    struct svg_extent x = {INFINITY, -INFINITY, 0, true};
    struct svg_extent y = {INFINITY, -INFINITY, 0, true};

    for (size_t i = 0; i < series_count(figure); i++) {
        extend_by(figure, &figure->series[i], &x, &y);
    }
    extend_to(&x, &figure->x);
    extend_to(&y, &figure->y);
    /* An empty bin is not drawn, so it is not left out either. */
    const size_t left_out = x.left_out + (figure->kind == FIGURE_HISTOGRAM ? 0 : y.left_out);

    if (figure->has_threshold) {
        svg_extend(figure->kind == FIGURE_HISTOGRAM ? &x : &y,
                   figure->kind == FIGURE_HISTOGRAM ? &figure->x : &figure->y, figure->threshold);
    }
    svg_scale_init(&field->x, &figure->x, &x, false, false);
    svg_scale_init(&field->y, &figure->y, &y, base, true);
    if (figure->kind == FIGURE_STEPS && figure->x.logarithmic) {
        /* A curve that rises at the end of the axis would be hidden by the frame. */
        field->x.least /= LOGARITHMIC_ROOM;
        field->x.greatest *= LOGARITHMIC_ROOM;
    }
    if (has_whiskers(figure) && !figure->x.logarithmic) {
        const double room = (field->x.greatest - field->x.least) * MARKER_ROOM;

        field->x.least -= room;
        field->x.greatest += room;
    }
    return left_out;
}

static void draw_threshold(FILE *out, const struct figure *figure, const struct svg_field *field)
{
    static const char dashes[] = " stroke=\"#000\" stroke-dasharray=\"3 3\"";
    static const char halo[] = " stroke=\"#fff\" stroke-width=\"2\"";
    const bool upright = figure->kind == FIGURE_HISTOGRAM;
    const double at = svg_place(upright ? &field->x : &field->y, figure->threshold);
    const char *unit = upright ? figure->x.unit : figure->y.unit;
    char text[96];

    if (!isfinite(at)) {
        return;
    }
    if (figure->threshold_name != NULL) {
        snprintf(text, sizeof(text), "%.90s", figure->threshold_name);
    } else {
        snprintf(text, sizeof(text), "%.6g%s%.60s", figure->threshold, unit != NULL ? " " : "",
                 unit != NULL ? unit : "");
    }
    const double right = upright ? at : field->right;
    const double bottom = upright ? field->bottom : at;

    svg_line(out, upright ? at : field->left, upright ? field->top : at, right, bottom, halo);
    svg_line(out, upright ? at : field->left, upright ? field->top : at, right, bottom, dashes);
    svg_text(out, upright ? at - 3 : field->right - 3, upright ? field->top + 11 : at - 3, SVG_END,
             SVG_NOTE_SIZE, " stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"", text);
}

size_t svg_series(struct svg_canvas *canvas, const struct figure *figure)
{
    struct svg_field field;
    const size_t left_out = set_scales(figure, &field);

    draw_legend(canvas, figure);
    svg_field_place(canvas, figure, &field, HEIGHT, 0);
    svg_field_x_ticks(canvas, &field);
    svg_field_y_ticks(canvas, &field);
    svg_field_frame(canvas, &field);
    for (size_t i = 0; i < series_count(figure); i++) {
        draw_series(canvas->out, figure, &field, i);
    }
    if (figure->has_threshold) {
        draw_threshold(canvas->out, figure, &field);
    }
    svg_field_labels(canvas, figure, &field);
    return left_out;
}
