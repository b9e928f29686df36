/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Change points of a series of values: the places where its level changed.
 *
 * Method: E-divisive means (Matteson and James, "A Nonparametric Approach for Multiple Change Point
 * Analysis of Multivariate Data", JASA 109, 2014), with an exponent of one, that is, with plain
 * distances. A split is chosen where the distributions on its two sides are farthest apart. The
 * second side first reaches to the end of the series, as in MongoDB's variant (Daly et al., ICPE
 * 2020); this finds a lasting level soonest. If that finds nothing, the second side may end
 * anywhere, as in the paper; this finds a level that does not last. A permutation test decides
 * whether randomly ordered values would have an equally good split. Then both sides are searched in
 * turn.
 *
 * A second test finds a trend: values that rise or fall by steps that may each be too small to
 * matter.
 *
 * If the values are exchangeable where nothing changed, the probability that anything is reported
 * is at most `alpha`, of which the trend uses a tenth. Correlated successive values count as fewer
 * values, as far as their distances from lines
 * through the levels show it; with such values slightly more of
 * the reported change points are false. Steps that are lost in this way are returned as dropped.
 *
 * Pure functions; the permutations have a fixed seed, so that the same values give the same result.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define CHANGE_POINTS_SIDE 3 /* least number of values on each side of a change point */

enum change_kind {
    CHANGE_STEP,
    CHANGE_TREND,   /* a steady rise or fall; `at` is n - 1, or its newest level if it is over */
    CHANGE_DROPPED, /* a step that correlated values may show by chance */
};

struct change_point {
    enum change_kind kind;
    size_t at; /* index of the first value of the new level */
    /* Probability that randomly ordered values have an equally good split anywhere. It is estimated
     * by permutations and never too small. For a dropped step it does not allow for correlation. */
    double p;
    /* median of the values since the previous change point, and median of those up to the next */
    double before, after; /* of a trend: medians of the oldest and of the newest eighth */
};

/* Finds the steps that were dropped, then those that were not, both in the order of the series,
 * then a trend. `points` needs space for n + 1. Returns their number. 0 < alpha < 1. A change point
 * takes about 6 / alpha * n^2 steps: half a second for 200 values. */
size_t change_points_find(const double *values, size_t n, double alpha,
                          struct change_point *points);

/* Returns the least number of values in which a change point can be found. Fewer values have too
 * few orders for a permutation test. */
size_t change_points_least(double alpha);

/* Finds the best split into values[0..at) and values[at..end) with at least CHANGE_POINTS_SIDE
 * values each. `end` is n if `to_end` is true, and otherwise may be anywhere. Stores the position
 * in *at and returns the divergence of the split: m k / (m + k) times the energy distance of its
 * sides of m and k values. Returns 0 and stores 0 if there is no split. */
double change_points_split(const double *values, size_t n, bool to_end, size_t *at);
