/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Change points of a series of values: where its level changed.
 *
 * E-divisive means (Matteson and James, "A Nonparametric Approach for Multiple Change Point
 * Analysis of Multivariate Data", JASA 109, 2014), with distances themselves: an exponent of one. A
 * split is chosen where the distance of the distributions on its two sides is greatest. The second
 * side first reaches to the end, as MongoDB has it (Daly et al., ICPE 2020): this finds a level
 * that lasts soonest. If that shows nothing it may end anywhere, as in the paper: this finds a
 * level that does not last. A permutation test decides whether values of no order would have as
 * good a split. Then both sides are searched in turn.
 *
 * Of values that are exchangeable where nothing changed, the chance that a series has any change
 * point is at most `alpha`. Values that follow each other alike count for fewer, as far as their
 * correlation beside the levels shows it; of them somewhat more change points are false.
 *
 * Pure; the permutations have a fixed seed, so that the same values give the same result.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define CHANGE_POINTS_SIDE 3 /* least number of values on each side of a change point */

struct change_point {
    size_t at; /* the first value of the new level */
    /* The chance of as good a split anywhere in values of no order, as far as the permutations show
     * it: never too small. */
    double p;
    double before, after; /* medians of the values back to the last change point, and to the next */
};

/* In the order of the series; `points` has room for n / CHANGE_POINTS_SIDE. Returns their number.
 * 0 < alpha < 1. A change point takes some 6 / alpha * n^2 steps: of 200 values half a second. */
size_t change_points_find(const double *values, size_t n, double alpha,
                          struct change_point *points);

/* Of fewer values no change point can be found: they have too few orders. */
size_t change_points_least(double alpha);

/* The best split, into values[0..at) and values[at..end), of at least CHANGE_POINTS_SIDE values
 * each, where `end` is n or, without `to_end`, anywhere; and its divergence: m k / (m + k) times
 * the energy distance of the sides, of m and k values. 0 where there is no split, and *at is 0. */
double change_points_split(const double *values, size_t n, bool to_end, size_t *at);
