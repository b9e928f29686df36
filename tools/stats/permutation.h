/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Permutation tests of two groups of boots: is a difference between the groups as great as hardly
 * any other split of the same boots would give?
 *
 * If the groups do not differ, each split of the boots into groups of these sizes is as likely as
 * the actual one, whatever the distribution of the values and whatever the metrics of a boot have
 * in common. The chance of any false difference is therefore at most alpha, for any number of
 * boots and metrics. A drift of the machine does no harm if the order of the boots was drawn by
 * permutation_draw().
 *
 * Pure, deterministic functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Up to this many splits, all are tried; if there are more, PERMUTATION_DRAWN random ones with a
 * fixed seed, in addition to the actual one. */
#define PERMUTATION_SPLITS_MAX 20000
#define PERMUTATION_DRAWN      9999

/* Draws a split of `n` boots in which `b_count` of them are in group b; each is equally likely. */
void permutation_draw(uint64_t *seed, bool *is_b, size_t n, size_t b_count);

/* Returns the smallest probability that groups of these sizes, 1 or more each, can have. */
double permutation_least(size_t a_count, size_t b_count);

/* Probabilities of a metric without a difference. */
struct permutation_chance {
    double p;         /* of at least its difference of means */
    double corrected; /* the same for any of the metrics, step by step (Westfall and Young) */
};

/*
 * Tests metrics of a_count + b_count boots, those of group a first. The value of metric k in boot i
 * is values[i * metrics + k]; NAN marks a missing one, which counts as the metric's mean.
 * Differences of several metrics are compared as shares of the variation of their boots (R^2). A
 * metric that never varies has probability 1.
 */
void permutation_test(const double *values, size_t metrics, size_t a_count, size_t b_count,
                      struct permutation_chance *chances);

/* Returns the smallest difference, in standard deviations of boots, that groups of `n` boots each
 * show with a probability of about 80 % if boots are normally distributed and the chance of a false
 * difference in any of the metrics is alpha; INFINITY if so few boots can show none. */
double permutation_detectable(size_t n, size_t metrics, double alpha);

/* Returns how many boots of each group show a difference of PERMUTATION_CLEAR standard deviations
 * in that way, or 0 if no number of boots does. */
#define PERMUTATION_CLEAR 5
size_t permutation_boots_needed(size_t metrics, double alpha);
