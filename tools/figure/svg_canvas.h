/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of svg.c draw with. Lengths are in pixels of the viewBox, y grows downwards. The
 * widths of texts are estimates: a file does not know what font it will be shown in.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "tools/figure/figure.h"

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
/* Attributes: "" or more of them, with a blank before each. */
void svg_text(FILE *out, double x, double y, enum svg_anchor anchor, double size,
              const char *attributes, const char *text);
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
