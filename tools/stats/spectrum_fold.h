/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The share of a period in noise, found in time: all is folded by the period, and what lies in its
 * pulses beyond what lies elsewhere belongs to it. spectrum.c takes out one period after another.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A stretch of time, and how much of it was stolen. */
struct spectrum_stretch {
    double begin, end; /* end >= begin */
    double stolen;     /* of it; >= 0 */
};

#define SPECTRUM_SHARE_MIN 0.01 /* components of a smaller share are not reported */
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
