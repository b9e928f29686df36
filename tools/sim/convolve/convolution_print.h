/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a convolution found, as text, JSON and figure.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "tools/figure/figure.h"
#include "tools/sim/convolve/convolution.h"

/* The curve against sums of drawn delays. */
struct convolution_check {
    size_t draws;
    uint64_t seed;
    double mean;
    double distance; /* convolution_distance() */
    double bound;    /* with the curve's own error; beyond it with a probability of at most */
    double alpha;
    bool agrees;
};

struct convolution_report {
    const char *name; /* of the file */
    const struct convolution *convolution;
    const struct convolution_sum *sum;
    const double *points; /* ascending */
    size_t point_count;
    const struct convolution_check *check; /* NULL: none was made */
};

void convolution_print(FILE *out, const struct convolution_report *report);
void convolution_print_json(FILE *out, const struct convolution_report *report);
/* The distribution function. */
struct figure *convolution_figure(const struct convolution_report *report, struct figures *figures);
