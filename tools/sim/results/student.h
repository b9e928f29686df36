/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Student's t distribution, by the regularised incomplete beta function (its continued fraction:
 * Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.5.8 and 26.7.1).
 */
#pragma once

/* P(T > t) for t >= 0; freedom > 0. */
double student_beyond(double t, double freedom);
/* The t that T exceeds with probability p on one side, to 1e-9 of it; 0 < p <= 0.5. */
double student_quantile(double p, double freedom);
