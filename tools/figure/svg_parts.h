/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of an SVG file: each draws what is between a figure's title and its notes, from the
 * canvas's bottom on, and moves that down.
 */
#pragma once

#include "tools/figure/figure.h"
#include "tools/figure/svg_axes.h"
#include "tools/figure/svg_canvas.h"

/* Each returns how many points have no place on a logarithmic axis. */
size_t svg_series(struct svg_canvas *canvas, const struct figure *figure);
size_t svg_bars(struct svg_canvas *canvas, const struct figure *figure);

void svg_heat(struct svg_canvas *canvas, const struct figure *figure);
void svg_timeline(struct svg_canvas *canvas, const struct figure *figure);
void svg_table(struct svg_canvas *canvas, const struct figure *figure);
/* What it needs, margins and all. */
double svg_table_width(const struct figure *figure);

/* Neighbours differ: phases follow each other in time. */
static inline const char *svg_stick_grey(size_t index)
{
    static const char *const greys[] = {"#000", "#888", "#555"};

    return greys[index % 3];
}

/* Those that are drawn: series that stand aside are the last. */
size_t svg_series_count(const struct figure *figure);

/* The names of a figure's series. */
void svg_series_legend(struct svg_canvas *canvas, const struct figure *figure,
                       void (*sample)(FILE *out, size_t index, double x, double y));

/* Where values are drawn. The scales are set first, except their begin and end. */
struct svg_field {
    double left, right, top, bottom;
    struct svg_scale x, y;
};

/* Places it at the canvas's bottom. `left`: room for names in the place of ticks of y; 0: what
 * those need. */
void svg_field_place(struct svg_canvas *canvas, const struct figure *figure,
                     struct svg_field *field, double height, double left);
/* Ticks with lines through the field. */
void svg_field_x_ticks(struct svg_canvas *canvas, const struct svg_field *field);
void svg_field_y_ticks(struct svg_canvas *canvas, const struct svg_field *field);
/* What the axes are, below whatever has been drawn, and at the left. */
void svg_field_labels(struct svg_canvas *canvas, const struct figure *figure,
                      const struct svg_field *field);
void svg_field_frame(struct svg_canvas *canvas, const struct svg_field *field);

/* A series of a figure over two axes, in its field. */
void svg_draw_series(FILE *out, const struct figure *figure, const struct svg_field *field,
                     size_t index);
/* With more points a line has neither markers nor deviations: these would overlap. */
#define SVG_MARKERS_MAX 60
