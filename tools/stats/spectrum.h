/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Periodic components of noise, such as a clock tick or a firmware poll: the period of each, and
 * its share of all lost time.
 *
 * The input is a list of intervals, each with the time lost (stolen) in it. Samples of fixed work
 * have unequal lengths, so a spectrum over their indices would blur. The lost time of each interval
 * is therefore spread evenly over it (as idle_profile() does), and the total time is divided into
 * columns of equal width. After subtracting the mean and applying Hann's window, the power at each
 * frequency is that of the discrete Fourier transform, as a fraction of the total. The largest
 * sixteenth of the amounts is clipped to the smallest of them, because a few long ones would hide
 * the rest.
 *
 * A line (a peak of the spectrum) is reported if its power exceeds what noise without a period
 * reaches at any frequency once in 200 runs. The power of such noise is distributed exponentially
 * about its level: a power has probability exp(-power / level), times the number of frequencies
 * (Bonferroni). The level is the local median divided by ln 2 instead of the level of white noise
 * over all frequencies, because noise is rarely white and lines do not raise a median. A second
 * pass clips no amount, because rare pulses that are larger than anything else show only by their
 * amount.
 *
 * Impulses with one period have power at all multiples of its frequency, and at aliases of
 * multiples beyond half the sample rate. All of these belong to one line, the fundamental. A period
 * shorter than two samples cannot be distinguished from a longer one.
 *
 * The share of a line is found in time, by folding the whole time by its period. Shares do not
 * overlap: what the longest period explains is removed before the next is searched.
 *
 * All times are in ticks. Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SPECTRUM_COLUMNS_MAX (1u << 17)
#define SPECTRUM_COLUMNS_MIN 64 /* also the least number of intervals */
#define SPECTRUM_PEAKS_MAX   8
#define SPECTRUM_PERIODS_MIN 8    /* a line needs at least this many periods in the time seen */
#define SPECTRUM_SHARE_MIN   0.01 /* components with a smaller share are not reported */
/* probability, for each of the two passes, of reporting a line in noise without a period */
#define SPECTRUM_ALPHA 0.005

/* An interval of time, and the part of it that was lost. */
struct spectrum_stretch {
    double begin, end; /* end >= begin */
    double stolen;     /* ticks lost in the interval; >= 0 */
};

struct spectrum_peak {
    double period; /* ticks */
    double share;  /* fraction of all lost time, 0 to 1 */
    double stolen; /* mean ticks lost in each period */
    double ratio;  /* power as a multiple of the level; INFINITY if the level is 0 */
    /* number of lines at multiples of the peak's frequency that also exceed the limit */
    size_t harmonics;
};

struct spectrum {
    double elapsed; /* ticks */
    double stolen;
    size_t columns; /* a power of two */
    /* Number of ordinates. Ordinate i (from 0) belongs to i + 1 periods in the time elapsed; they
     * reach up to half the rate of samples, or of columns if the input is gaps. */
    size_t count;
    double *power;                                  /* fractions of the total power */
    double *limit;                                  /* power that a line must exceed */
    struct spectrum_peak peaks[SPECTRUM_PEAKS_MAX]; /* largest share first */
    size_t peak_count;
};

/*
 * Computes the spectrum of `n` ascending intervals that do not overlap, all within [0, elapsed). If
 * `contiguous` is true, they are samples that cover the whole time, and it is unknown where within
 * a sample its time was lost. Otherwise they are complete gaps, and no time was lost between them.
 * Returns NULL on success, otherwise the reason; then nothing needs to be freed.
 */
const char *spectrum_of(struct spectrum *spectrum, const struct spectrum_stretch *stretches,
                        size_t n, double elapsed, bool contiguous);
void spectrum_free(struct spectrum *spectrum);

/* Computes the discrete Fourier transform in place, X[k] = sum of x[i] * exp(-2 pi sqrt(-1) i k /
 * n); n is a power of two. */
void spectrum_transform(double *real, double *imaginary, size_t n);
