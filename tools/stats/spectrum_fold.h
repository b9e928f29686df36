/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The share of a period in noise, found in time: folds the noise by the period; the excess in its
 * pulses belongs to it. A part of spectrum.h.
 */
#pragma once

#include "tools/stats/spectrum.h"

#define SPECTRUM_CUT_PARTS \
    16 /* one of so many amounts is cut where lines and pulses are looked for */

struct spectrum_noise {
    struct spectrum_stretch *stretches;
    size_t n;
    double elapsed;
    bool contiguous;
    double *sorted; /* what was stolen, the most first, without zeroes; to be freed */
    size_t sorted_count;
};

/* Fills sorted[] from the stretches. */
void spectrum_sort(struct spectrum_noise *noise);

/* The amount of a rank, from 0: the least of those that are not to be cut. */
double spectrum_cut(const struct spectrum_noise *noise, size_t rank);

/* Returns the share of a period in `all`, 0 to 1, and removes it from the stretches. 0, and removes
 * nothing, if the share is below SPECTRUM_SHARE_MIN or not found in both halves of the time. */
double spectrum_take_share(struct spectrum_noise *noise, double period, double all);
