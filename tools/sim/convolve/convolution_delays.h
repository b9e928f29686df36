/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The delays of a convolution, taken apart into atoms and pieces of density: how far their sum
 * reaches, and the step of a grid on which all their places lie. For the files that solve it.
 */
#pragma once

#include "tools/sim/convolve/convolution.h"

struct convolution_piece {
    double weight;
    double low, high; /* high is INFINITY of an exponential one, and only of that */
    double mean;      /* of the exponential one */
};

struct convolution_atom {
    double weight;
    double at;
};

/* All places less the least one. */
struct convolution_delay {
    struct convolution_atom *atoms;
    size_t atom_count, atom_capacity;
    struct convolution_piece *pieces;
    size_t piece_count, piece_capacity;
    double origin; /* the least place */
    size_t times;
};

/* Those that are not 0 for certain; returns how many. */
size_t convolution_take_apart(const struct convolution *convolution,
                              struct convolution_delay delays[CONVOLUTION_PARTS]);
void convolution_delays_free(struct convolution_delay *delays, size_t count);

/* The sum is beyond with a probability of less than CONVOLUTION_BEYOND, by Chernoff's bound; or it
 * cannot be, and *beyond is 0. `deviation` is that of the sum. */
double convolution_range(const struct convolution_delay *delays, size_t count, double deviation,
                         double *beyond);

/* The greatest length that divides all places up to `range`, and those of `points`: INFINITY where
 * there are none but 0, and 0 where it is below `least`. All are less the sum's least place. */
double convolution_common_step(const struct convolution_delay *delays, size_t count, double range,
                               double least, const double *points, size_t point_count);
