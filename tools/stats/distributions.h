/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probabilities of the normal, Student's, binomial, gamma and Kolmogorov's distribution, as far as
 * statistics here need them. Pure functions, to ten digits or more.
 */
#pragma once

#include <stddef.h>

/* P(|Z| >= |z|), and z of P(Z <= z) = p, 0 < p < 1. */
double distribution_normal_two_sided(double z);
double distribution_normal_quantile(double p);

/* P(|T| >= |t|) of Student's distribution with `freedom` degrees, above 0 and not always whole; and
 * t of P(T <= t) = p, 0.5 <= p < 1. */
double distribution_student_two_sided(double t, double freedom);
double distribution_student_quantile(double p, double freedom);

/* P(B <= k), where B is binomial with n trials of chance p; 0 < p < 1. */
double distribution_binomial(double n, double p, double k);

/* The greatest k with P(B < k) <= tail, of the same B; 0 < tail < 0.5. 0 where not even k = 1 is.
 */
size_t distribution_binomial_low(size_t n, double p, double tail);

/* x of P(X <= x) = p, where X has gamma's distribution of shape a >= 1 and scale 1; 0 < p < 1. Half
 * of the quantile of chi-squared with 2 a degrees of freedom. */
double distribution_gamma_quantile(double a, double p);

/* P(K >= x) of Kolmogorov's limiting distribution, x >= 0. */
double distribution_kolmogorov(double x);
