/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The periodic components of noise, such as a clock tick or a poll of the firmware: the period of
 * each, and its share of all stolen time.
 *
 * The input is a list of stretches of time, each with the amount of time stolen from it. Samples of
 * fixed work have unequal lengths, so a spectrum over their indices would blur. The stolen time of
 * each is therefore spread evenly over its stretch (as idle_profile() does), and the total is cut
 * into columns of equal width. After subtracting the mean and applying Hann's window, the power of
 * each frequency is that of the discrete Fourier transform, as a fraction of the total. The largest
 * sixteenth of the amounts is clipped to the smallest of them: a few long ones would hide the rest.
 *
 * A line is reported if its power exceeds what noise without a period reaches at any frequency once
 * in 200 runs. The power of such noise is distributed exponentially about its level: its
 * probability is exp(-power / level), times the number of frequencies (Bonferroni). The level is
 * the local median divided by ln 2, not that of white noise over all frequencies: noise is rarely
 * white, and lines do not raise a median. A second pass clips no amount: rare pulses that are
 * larger than anything else show only by their amount.
 *
 * Impulses with one period have power at all multiples of its frequency, and as aliases of
 * multiples beyond half the sample rate. All of these belong to one line, the fundamental. A period
 * shorter than two samples cannot be distinguished from a longer one.
 *
 * The share of a line is found in time by folding all by its period. Shares do not overlap: what
 * the longest period explains is removed before the next is searched.
 *
 * All times in ticks. Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPECTRUM_COLUMNS_MAX (1u << 17)
#define SPECTRUM_COLUMNS_MIN 64 /* and as many stretches */
#define SPECTRUM_PEAKS_MAX   8
#define SPECTRUM_PERIODS_MIN 8     /* a line has at least as many in the time seen */
#define SPECTRUM_SHARE_MIN   0.01  /* components of a smaller share are not reported */
#define SPECTRUM_ALPHA       0.005 /* that there is a line in noise without one, each time */

/* A stretch of time, and how much of it was stolen. */
struct spectrum_stretch {
    double begin, end; /* end >= begin */
    double stolen;     /* of it; >= 0 */
};

struct spectrum_peak {
    double period;    /* ticks */
    double share;     /* of all stolen time, 0 to 1 */
    double stolen;    /* mean ticks in each period */
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
    double *limit;                                  /* a line exceeds it */
    struct spectrum_peak peaks[SPECTRUM_PEAKS_MAX]; /* the one with the largest share first */
    size_t peak_count;
};

/*
 * The spectrum of `n` ascending stretches that do not overlap, all within [0, elapsed).
 * `contiguous`: they are samples that cover all of it, and where within a sample its time was
 * stolen is unknown; else they are complete gaps, and no time was stolen in between. Returns NULL,
 * or why there is no spectrum: nothing needs to be freed then.
 */
const char *spectrum_of(struct spectrum *spectrum, const struct spectrum_stretch *stretches,
                        size_t n, double elapsed, bool contiguous);
void spectrum_free(struct spectrum *spectrum);

/* The discrete Fourier transform in place, X[k] = sum of x[i] * exp(-2 pi sqrt(-1) i k / n); n is a
 * power of two. */
void spectrum_transform(double *real, double *imaginary, size_t n);
