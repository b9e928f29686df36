/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of an SVG file: each draws what is between a figure's title and its notes, from the
 * canvas's bottom on, and moves that down.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tools/figure/figure.h"

/*
 * What the parts of svg.c draw with. Lengths are in pixels of the viewBox, y grows downwards. The
 * widths of texts are estimates: a file does not know what font it will be shown in.
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
    double bottom; /* of what has been drawn */
};

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

/* Anything becomes text that an XML parser takes: what is not UTF-8, or no character of XML, turns
 * into question marks. */
void svg_escape(FILE *out, const char *text);
/* A command of a path and its numbers: svg_path(out, 'M', 2, x, y). */
void svg_path(FILE *out, char command, int count, ...);

/* The same, of a deviation: a line with a bar across both ends, `half` to each side. */
void svg_whisker(FILE *out, double x, double half, double from, double to);

double svg_text_width(const char *text, double size);
/* Of the widest name of a list, at SVG_TEXT_SIZE. */
double svg_widest(const struct figure_list *names);
/* Attributes: "" or more of them, with a blank before each. */
void svg_text(FILE *out, double x, double y, enum svg_anchor anchor, double size,
              const char *attributes, const char *text);
/* Turned about its place, `degrees` to the left, at SVG_TEXT_SIZE. */
void svg_turned_text(FILE *out, double x, double y, enum svg_anchor anchor, double degrees,
                     const char *text);
/* In lines of at most `width`, of which it returns the number; y: of the first line. */
size_t svg_wrapped(FILE *out, double x, double y, double width, double size, const char *attributes,
                   const char *text);
/* Cut with an ellipsis to `width`. The caller frees it. */
char *svg_shortened(const char *text, double width, double size);

void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *attributes);
void svg_rectangle(FILE *out, double x, double y, double width, double height,
                   const char *attributes);

/* How series and states differ without colours. */
const char *svg_dashes(size_t series); /* attributes of a stroke */
const char *svg_fill(size_t series);   /* attributes of an area with its edge */
/* Needed once in a file that uses fills. */
void svg_define_fills(FILE *out);
/* The marker of a series as commands of a path, about a point. */
void svg_marker(FILE *out, size_t series, double x, double y);
const char *svg_marker_paint(size_t series);

/* Rows of names below the canvas's bottom, each behind what `sample` draws, in a box of
 * SVG_SAMPLE_WIDTH; (x, y) is the middle of its left edge. A name that is NULL is left out. */
#define SVG_SAMPLE_WIDTH 26.0
void svg_legend(struct svg_canvas *canvas, const char *const *names, size_t count,
                void (*sample)(FILE *out, size_t index, double x, double y));

/*
 * Axes of drawn figures: how far they go, where their ticks are, and their labels.
 */

#define SVG_TICKS_MAX 40
#define SVG_TICK_TEXT 24

/* From a value to a place; `begin` and `end` are where least and greatest are. */
struct svg_scale {
    double least, greatest;
    double begin, end;
    bool logarithmic;
    bool whole;   /* no tick between integers */
    bool binary;  /* bytes: ticks are powers of two */
    int exponent; /* labels of ticks are in units of 10 to this power; a multiple of 3 */
};

struct svg_tick {
    double value;
    char text[SVG_TICK_TEXT]; /* "": a line, and no text */
};

/* What the values of one axis span. Begins as {INFINITY, -INFINITY, 0, true}. */
struct svg_extent {
    double least, greatest;
    size_t left_out; /* not above 0 where the axis is logarithmic */
    bool whole;      /* integers all */
};
void svg_extend(struct svg_extent *extent, const struct figure_axis *axis, double value);

/* What there is, a little rounded outwards. `base`: bars stand on it: 0 is there, or where the axis
 * is logarithmic something below the least. `round`: both ends become ticks. */
void svg_scale_init(struct svg_scale *scale, const struct figure_axis *axis,
                    const struct svg_extent *extent, bool base, bool round);
/* NAN where it has no place. */
double svg_place(const struct svg_scale *scale, double value);

size_t svg_ticks(const struct svg_scale *scale, struct svg_tick ticks[SVG_TICKS_MAX]);
/* "latency (10³ ms)"; "": no label. */
const char *svg_axis_text(const struct figure_axis *axis, const struct svg_scale *scale, char *text,
                          size_t size);

/* Each returns how many points have no place on a logarithmic axis. */
size_t svg_series(struct svg_canvas *canvas, const struct figure *figure);
size_t svg_bars(struct svg_canvas *canvas, const struct figure *figure);

void svg_heat(struct svg_canvas *canvas, const struct figure *figure);
void svg_timeline(struct svg_canvas *canvas, const struct figure *figure);
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
