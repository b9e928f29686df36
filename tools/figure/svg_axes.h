/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Axes of drawn figures: how far they go, where their ticks are, and their labels.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tools/figure/figure.h"

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
