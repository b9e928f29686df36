/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws groups of bars (figure.h) as SVG. */
#include <math.h>
#include <stdlib.h>

#include "tools/figure/svg_parts.h"

#define HEIGHT     260.0
#define FILLED     0.8 /* share of a group's width that its bars take */
#define BAR_MAX    48.0
#define WHISKER    3.0
#define NAME_MAX   130.0 /* largest width of a group's name below the axis */
#define VALUE_ROOM 26.0  /* a bar at least this wide has its value above it */
#define SLOPE      35.0  /* of group names that do not fit side by side, in degrees */

struct bars {
    const struct figure *figure;
    struct svg_field field;
    double base;  /* y at which the bars stand */
    double pitch; /* distance from group to group */
    double width; /* width of a bar */
};

static size_t set_scales(const struct figure *figure, struct svg_field *field)
{
    static const struct figure_axis plain = {0};
    struct svg_extent x = {0, 1, 0, true};
    struct svg_extent y = {INFINITY, -INFINITY, 0, true};

    for (size_t i = 0; i < figure->series_count; i++) {
        const struct figure_series *series = &figure->series[i];

        for (size_t k = 0; k < series->n; k++) {
            svg_extend(&y, &figure->y, series->y[k]);
            if (series->low != NULL) {
                struct svg_extent deviation = y;

                svg_extend(&deviation, &figure->y, series->low[k]);
                svg_extend(&deviation, &figure->y, series->high[k]);
                deviation.left_out = y.left_out;
                y = deviation;
            }
        }
    }
    svg_scale_init(&field->x, &plain, &x, true, false);
    svg_scale_init(&field->y, &figure->y, &y, true, true);
    return y.left_out;
}

static void put_whisker(FILE *out, double middle, double half, double from, double to,
                        const char *attributes)
{
    fputs("<path d=\"", out);
    svg_whisker(out, middle, half, from, to);
    fprintf(out, "\" fill=\"none\"%s/>\n", attributes);
}

static void draw_deviation(FILE *out, const struct bars *bars, double middle, double low,
                           double high)
{
    /* On a logarithmic axis a deviation that begins at 0 or below is drawn from the foot of the
     * axis. */
    const double from = low <= 0 && bars->figure->y.logarithmic ? bars->field.bottom
                                                                : svg_place(&bars->field.y, low);
    const double to = svg_place(&bars->field.y, high);
    const double half = fmin(WHISKER, bars->width / 2);

    if (!isfinite(from) || !isfinite(to) || from - to < 1) {
        return;
    }
    put_whisker(out, middle, half, from, to, " stroke=\"#fff\" stroke-width=\"3\"");
    put_whisker(out, middle, half, from, to, " stroke=\"#000\"");
}

static void draw_value(FILE *out, double middle, double top, double value)
{
    char text[24];

    snprintf(text, sizeof(text), fabs(value) >= 999.5 && fabs(value) < 1e6 ? "%.0f" : "%.3g",
             value);
    svg_text(out, middle, top - 3, SVG_MIDDLE, SVG_NOTE_SIZE,
             " stroke=\"#fff\" stroke-width=\"2\" paint-order=\"stroke\"", text);
}

/* Draws bar `point` of series `index`; its x is the number of its group. */
static void draw_bar(FILE *out, const struct bars *bars, size_t index, size_t point)
{
    const struct figure_series *series = &bars->figure->series[index];
    const double all = bars->width * (double)bars->figure->series_count;
    const double left = bars->field.left + bars->pitch * (series->x[point] + 0.5) - all / 2 +
                        bars->width * (double)index;
    const double middle = left + bars->width / 2;
    const double top = svg_place(&bars->field.y, series->y[point]);
    double highest = top;

    if (!(series->x[point] >= 0 && series->x[point] < (double)bars->figure->groups.count)) {
        return;
    }
    if (!isfinite(top)) {
        svg_text(out, middle, bars->base - 3, SVG_MIDDLE, SVG_NOTE_SIZE, " fill=\"#555\"",
                 bars->width >= VALUE_ROOM ? "n/a" : "-");
        return;
    }
    svg_rectangle(out, left, fmin(top, bars->base), bars->width, fabs(bars->base - top),
                  svg_fill(index));
    if (series->low != NULL) {
        draw_deviation(out, bars, middle, series->low[point], series->high[point]);
        highest = fmin(highest, svg_place(&bars->field.y, series->high[point]));
    }
    if (bars->width >= VALUE_ROOM) {
        draw_value(out, middle, isfinite(highest) ? highest : top, series->y[point]);
    }
}

/* Draws the names of the groups, side by side if they fit, otherwise sloping. */
static void draw_groups(struct svg_canvas *canvas, const struct bars *bars)
{
    const struct figure_list *groups = &bars->figure->groups;
    const double y = bars->field.bottom + SVG_TEXT_SIZE + 3;
    const double widest = svg_widest(groups);
    const bool slope = widest > bars->pitch - 4;

    for (size_t i = 0; i < groups->count; i++) {
        const double x = bars->field.left + bars->pitch * ((double)i + 0.5);
        const double room = slope ? fmin(NAME_MAX, x / cos(SLOPE * M_PI / 180) - 4) : bars->pitch;
        char *name = svg_shortened(groups->item[i], room, SVG_TEXT_SIZE);

        if (slope) {
            svg_turned_text(canvas->out, x, y, SVG_END, SLOPE, name);
        } else {
            svg_text(canvas->out, x, y, SVG_MIDDLE, SVG_TEXT_SIZE, "", name);
        }
        free(name);
    }
    canvas->bottom = y + (slope ? fmin(widest, NAME_MAX) * sin(SLOPE * M_PI / 180) : 0);
}

static void sample_bar(FILE *out, size_t index, double x, double y)
{
    svg_rectangle(out, x, y - 5, SVG_SAMPLE_WIDTH - 6, 10, svg_fill(index));
}

size_t svg_bars(struct svg_canvas *canvas, const struct figure *figure)
{
    struct bars bars = {.figure = figure};
    const size_t left_out = set_scales(figure, &bars.field);
    const double groups = fmax(1, (double)figure->groups.count);
    const double series = fmax(1, (double)figure->series_count);

    svg_define_fills(canvas->out);
    svg_series_legend(canvas, figure, sample_bar);
    svg_field_place(canvas, figure, &bars.field, HEIGHT, 0);
    svg_field_y_ticks(canvas, &bars.field);
    bars.pitch = (bars.field.right - bars.field.left) / groups;
    bars.width = fmin(BAR_MAX, bars.pitch * FILLED / series);
    const double zero = svg_place(&bars.field.y, 0);

    bars.base = isfinite(zero) ? zero : bars.field.bottom;
    svg_field_frame(canvas, &bars.field);
    for (size_t i = 0; i < figure->series_count; i++) {
        for (size_t k = 0; k < figure->series[i].n; k++) {
            draw_bar(canvas->out, &bars, i, k);
        }
    }
    draw_groups(canvas, &bars);
    svg_field_labels(canvas, figure, &bars.field);
    return left_out;
}
