/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums of delays on a grid, by the discrete Fourier transform.
 */
#pragma once

#include "tools/sim/convolve/convolution_delays.h"

#define CONVOLUTION_ON_GRID 1e-6 /* of a step: what lies so near a point is there */

struct convolution_grid {
    double step;
    size_t size;    /* a power of two */
    double *points; /* atoms, and densities by hats */
    double *right;  /* densities, the mass of each cell at its right end */
    double *atoms;
};

/* The distribution of the sum at each of the first `count` points: in .points of all sums that have
 * a density, in .atoms of those of atoms alone. The mass beyond the grid must be next to nothing:
 * it comes in again at 0. */
struct convolution_grid convolution_sum_up(const struct convolution_delay *delays,
                                           size_t delay_count, double step, size_t count);
void convolution_grid_free(struct convolution_grid *grid);
