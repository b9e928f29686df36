/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probability distributions needed for the statistics: normal, Student's, binomial, gamma and
 * Kolmogorov's. Pure functions, accurate to ten digits or more.
 */
#pragma once

#include <stddef.h>

/* Normal distribution: P(|Z| >= |z|), and the z with P(Z <= z) = p, 0 < p < 1. */
double distribution_normal_two_sided(double z);
double distribution_normal_quantile(double p);

/* Student's distribution with `freedom` degrees, above 0 and not necessarily whole: P(|T| >= |t|),
 * and the t with P(T <= t) = p, 0.5 <= p < 1. */
double distribution_student_two_sided(double t, double freedom);
double distribution_student_quantile(double p, double freedom);

/* Returns P(B <= k) for a binomial B with n trials of probability p; 0 < p < 1. */
double distribution_binomial(double n, double p, double k);

/* Returns the greatest k with P(B < k) <= tail for the same B, or 0 if not even k = 1 satisfies it;
 * 0 < tail < 0.5. */
size_t distribution_binomial_low(size_t n, double p, double tail);

/* Returns the x with P(X <= x) = p for a gamma distribution of shape a >= 1 and scale 1; 0 < p < 1.
 * This is half the quantile of chi-squared with 2 a degrees of freedom. */
double distribution_gamma_quantile(double a, double p);

/* Returns P(K >= x) of Kolmogorov's limiting distribution, x >= 0. */
double distribution_kolmogorov(double x);
