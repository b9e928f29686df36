/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The periodic components of noise: what comes at equal distances (a clock tick, a poll of the
 * firmware), with its period and its share of all time that was stolen.
 *
 * Noise is given as stretches of time, and how much of each was stolen. Samples of fixed work are
 * of unequal length, so that a spectrum over their numbers would blur: what was stolen from each is
 * spread evenly over its time (as idle_profile() does), which is cut into columns of one width. The
 * mean is taken off, Hann's window put on, and the power of each frequency is that of the discrete
 * Fourier transform, as a part of all of it. Of amounts, the greatest sixteenth counts as no more
 * than the least of them: a few long ones would drown the rest.
 *
 * A line is told where its power is above what noise without a period reaches once in 200 runs at
 * any of the frequencies: such power is distributed exponentially about its level, so that the
 * probability is exp(-power / level), times the number of frequencies (Bonferroni). The level is
 * not that of white noise over all frequencies but the median near by, divided by ln 2: noise is
 * rarely white, and lines do not raise a median. The same is done once more with no amount cut:
 * rare pulses that are greater than all else are told by nothing but their amount.
 *
 * Impulses with one period have power at all multiples of its frequency, and where these are beyond
 * half the rate of samples at others (aliases): all belong to one line, the fundamental. A period
 * shorter than two samples cannot be told from a longer one.
 *
 * A line's share is found in time (spectrum_fold.h). Shares do not overlap: what the longest period
 * explains is taken out before the next is looked at.
 *
 * All times in ticks. Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/stats/spectrum_fold.h"

#define SPECTRUM_COLUMNS_MAX (1u << 17)
#define SPECTRUM_COLUMNS_MIN 64 /* and as many stretches */
#define SPECTRUM_PEAKS_MAX   8
#define SPECTRUM_PERIODS_MIN 8     /* a line has at least as many in the time seen */
#define SPECTRUM_ALPHA       0.005 /* that there is a line in noise without one, each time */

struct spectrum_peak {
    double period;    /* ticks */
    double share;     /* of all that was stolen, 0 to 1 */
    double stolen;    /* ticks each time, on average */
    double ratio;     /* its power as a multiple of the level; INFINITY where that is 0 */
    size_t harmonics; /* lines at multiples of its frequency that are above the limit as well */
};

struct spectrum {
    double elapsed; /* ticks */
    double stolen;
    size_t columns; /* a power of two */
    /* Ordinate i (from 0) is of (i + 1) periods in the time elapsed; up to half the rate of
     * samples, or of columns where there are no samples. */
    size_t count;
    double *power;                                  /* parts of the sum of all */
    double *limit;                                  /* above which a line is told */
    struct spectrum_peak peaks[SPECTRUM_PEAKS_MAX]; /* the one with the largest share first */
    size_t peak_count;
};

/*
 * Of `n` stretches that rise and do not overlap, all within [0, elapsed). `contiguous`: they are
 * samples, which cover all of it, and where in one its time was stolen is not known; else they are
 * gaps, whole ones, and nothing was stolen in between. NULL, or why there is no spectrum: nothing
 * needs to be freed then.
 */
const char *spectrum_of(struct spectrum *spectrum, const struct spectrum_stretch *stretches,
                        size_t n, double elapsed, bool contiguous);
void spectrum_free(struct spectrum *spectrum);

/* The discrete Fourier transform in place, X[k] = sum of x[i] * exp(-2 pi sqrt(-1) i k / n); n is a
 * power of two. */
void spectrum_transform(double *real, double *imaginary, size_t n);
