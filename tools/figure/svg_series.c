/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of series over two axes. */
#include <math.h>
#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/figure/svg_parts.h"

#define HEIGHT           270.0
#define MARKER_ROOM      0.03 /* of an axis, at both ends */
#define LOGARITHMIC_ROOM 1.03 /* a factor */

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
             svg_stick_grey(index));
    svg_line(out, x, y, x + SVG_SAMPLE_WIDTH - 5, y, attributes);
}

size_t svg_series_count(const struct figure *figure)
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
    const size_t count = svg_series_count(figure);
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

    for (size_t i = 0; i < svg_series_count(figure); i++) {
        marked = marked && figure->series[i].n <= SVG_MARKERS_MAX;
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
        if (series->low != NULL && (bins || series->n <= SVG_MARKERS_MAX)) {
            svg_extend(bins ? x : y, bins ? &figure->x : &figure->y, series->low[i]);
            svg_extend(bins ? x : y, bins ? &figure->x : &figure->y, series->high[i]);
        }
    }
}

/* Markers or deviations that would stand half outside, or in the frame. */
static bool has_whiskers(const struct figure *figure)
{
    for (size_t i = 0; i < svg_series_count(figure); i++) {
        if (figure->kind == FIGURE_LINES && figure->series[i].low != NULL) {
            return true;
        }
    }
    return figure->kind == FIGURE_POINTS;
}

/* Returns how many points have no place. */
static size_t set_scales(const struct figure *figure, struct svg_field *field)
{
    const bool base = figure->kind == FIGURE_STICKS || figure->kind == FIGURE_HISTOGRAM;
    struct svg_extent x = {INFINITY, -INFINITY, 0, true};
    struct svg_extent y = {INFINITY, -INFINITY, 0, true};

    for (size_t i = 0; i < svg_series_count(figure); i++) {
        extend_by(figure, &figure->series[i], &x, &y);
    }
    /* An empty bin is not drawn. */
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
    for (size_t i = 0; i < svg_series_count(figure); i++) {
        svg_draw_series(canvas->out, figure, &field, i);
    }
    if (figure->has_threshold) {
        draw_threshold(canvas->out, figure, &field);
    }
    svg_field_labels(canvas, figure, &field);
    return left_out;
}
