/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts that draw an SVG file. Each draws from the canvas's bottom on, between a figure's title
 * and its notes, and moves the bottom down.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tools/figure/figure.h"

/*
 * The canvas, and what the parts draw with. Lengths are in pixels of the viewBox; y grows
 * downwards. Widths of texts are estimates, because the font in which a file will be shown is
 * unknown.
 */

#define SVG_WIDTH      640.0
#define SVG_MARGIN     12.0
#define SVG_TITLE_SIZE 14.0
#define SVG_TEXT_SIZE  11.0
#define SVG_NOTE_SIZE  10.0
#define SVG_FILLS      8

struct svg_canvas {
    FILE *out;
    double width;
    double bottom; /* y of the lowest part drawn so far */
};

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

/* Writes text that any XML parser accepts. What is not UTF-8 or not an XML character becomes
 * question marks. */
void svg_escape(FILE *out, const char *text);
/* Writes a command of a path and its `count` numbers: svg_path(out, 'M', 2, x, y). */
void svg_path(FILE *out, char command, int count, ...);

/* Writes a deviation as commands of a path: a line with a bar across both ends, `half` to each
 * side. */
void svg_whisker(FILE *out, double x, double half, double from, double to);

double svg_text_width(const char *text, double size);
/* Returns the width of the widest name of a list, at SVG_TEXT_SIZE. */
double svg_widest(const struct figure_list *names);
/* Writes a text. `attributes` is "" or more attributes, each after a blank. */
void svg_text(FILE *out, double x, double y, enum svg_anchor anchor, double size,
              const char *attributes, const char *text);
/* Writes a text at SVG_TEXT_SIZE, turned about its place by `degrees` to the left. */
void svg_turned_text(FILE *out, double x, double y, enum svg_anchor anchor, double degrees,
                     const char *text);
/* Writes a text in lines of at most `width` and returns their number. y is that of the first line.
 */
size_t svg_wrapped(FILE *out, double x, double y, double width, double size, const char *attributes,
                   const char *text);
/* Returns the text cut with an ellipsis to `width`. The caller frees it. */
char *svg_shortened(const char *text, double width, double size);

void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *attributes);
void svg_rectangle(FILE *out, double x, double y, double width, double height,
                   const char *attributes);

/* How series and states differ without colours. */
const char *svg_dashes(size_t series); /* returns attributes of a stroke */
const char *svg_fill(size_t series);   /* returns attributes of an area with its edge */
/* Writes definitions that a file with fills needs once. */
void svg_define_fills(FILE *out);
/* Writes the marker of a series as commands of a path around a point. */
void svg_marker(FILE *out, size_t series, double x, double y);
const char *svg_marker_paint(size_t series);

/* Draws rows of names below the canvas's bottom. Each follows a sample that `sample` draws in a box
 * SVG_SAMPLE_WIDTH wide; (x, y) is the middle of the left edge of that box. A name that is NULL is
 * left out. */
#define SVG_SAMPLE_WIDTH 26.0
void svg_legend(struct svg_canvas *canvas, const char *const *names, size_t count,
                void (*sample)(FILE *out, size_t index, double x, double y));

/*
 * The axes of drawn figures: their range, their ticks and their labels.
 */

#define SVG_TICKS_MAX 40
#define SVG_TICK_TEXT 24

/* Maps a value to a place; `begin` and `end` are the places of least and greatest. */
struct svg_scale {
    double least, greatest;
    double begin, end;
    bool logarithmic;
    bool whole;   /* no ticks between integers */
    bool binary;  /* values are bytes, and ticks are powers of two */
    int exponent; /* labels of ticks are in units of 10 to this power, a multiple of 3 */
};

struct svg_tick {
    double value;
    char text[SVG_TICK_TEXT]; /* "": a line without a text */
};

/* The range of the values of one axis. Initialise it to {INFINITY, -INFINITY, 0, true}. */
struct svg_extent {
    double least, greatest;
    size_t left_out; /* number of values not above 0 on a logarithmic axis */
    bool whole;      /* all values are integers */
};
void svg_extend(struct svg_extent *extent, const struct figure_axis *axis, double value);

/* Sets the scale to the extent, rounded a little outwards. `base`: the axis carries bars, so that
 * it includes 0 or, if it is logarithmic, begins below the least value. `round`: both ends become
 * ticks. */
void svg_scale_init(struct svg_scale *scale, const struct figure_axis *axis,
                    const struct svg_extent *extent, bool base, bool round);
/* Returns the place of a value, or NAN if it has none. */
double svg_place(const struct svg_scale *scale, double value);

size_t svg_ticks(const struct svg_scale *scale, struct svg_tick ticks[SVG_TICKS_MAX]);
/* Writes the label of an axis, such as "latency (10³ ms)"; "" if it has none. */
const char *svg_axis_text(const struct figure_axis *axis, const struct svg_scale *scale, char *text,
                          size_t size);

/* Draw series and bars. Each returns the number of points that have no place on a logarithmic axis.
 */
size_t svg_series(struct svg_canvas *canvas, const struct figure *figure);
size_t svg_bars(struct svg_canvas *canvas, const struct figure *figure);

void svg_heat(struct svg_canvas *canvas, const struct figure *figure);
void svg_states(struct svg_canvas *canvas, const struct figure *figure);
void svg_timeline(struct svg_canvas *canvas, const struct figure *figure);
/* Draws a legend with the names of a figure's series. */
void svg_series_legend(struct svg_canvas *canvas, const struct figure *figure,
                       void (*sample)(FILE *out, size_t index, double x, double y));

/* The area in which values are drawn. Set the scales first, except their `begin` and `end`. */
struct svg_field {
    double left, right, top, bottom;
    struct svg_scale x, y;
};

/* Places the field at the canvas's bottom. `left` is the room for names in place of ticks of y; 0:
 * the room that the ticks need. */
void svg_field_place(struct svg_canvas *canvas, const struct figure *figure,
                     struct svg_field *field, double height, double left);
/* Draw ticks, with lines through the field. */
void svg_field_x_ticks(struct svg_canvas *canvas, const struct svg_field *field);
void svg_field_y_ticks(struct svg_canvas *canvas, const struct svg_field *field);
/* Draws the labels of the axes: that of x below everything drawn so far, that of y at the left. */
void svg_field_labels(struct svg_canvas *canvas, const struct figure *figure,
                      const struct svg_field *field);
void svg_field_frame(struct svg_canvas *canvas, const struct svg_field *field);
