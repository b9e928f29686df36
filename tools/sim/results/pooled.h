/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Quantiles of the values of all replications together, with their intervals.
 *
 * The average of each replication's own quantile is biased: a replication that happens to have no
 * long queue has a short tail, but the average does not weigh it by its share of the tail. The
 * pooled quantile is that of all values. Its interval comes from the share of each replication's
 * values beyond a candidate value, because these shares are independent means: the interval has the
 * candidates for which a test of Student's type does not reject that the mean share is 1 - p.
 * Shares of a tail are skewed, as values beyond it come in bursts, so the test has Hall's
 * correction for skewness (Hall, "On the removal of skewness by transformation", Journal of the
 * Royal Statistical Society B 54(1), 1992).
 */
#pragma once

#include "tools/sim/engine/tally.h"

struct sim_estimate;

/* Sums over replications for one quantile; their size does not depend on the replications. */
struct sim_pooled {
    double p;
    double replications;
    double n, n2, n3;   /* sums of the number of values, of its square and its cube */
    double sum2, sum_n; /* of the squared sum of the values, and of sum times number */
    double (*step)[2];  /* indexed by class: see pooled.c; NULL: not in use */
};

void sim_pooled_init(struct sim_pooled *pooled, double p);
void sim_pooled_free(struct sim_pooled *pooled);
/* Adds the values of one replication, which must have classes. */
void sim_pooled_add(struct sim_pooled *pooled, const struct sim_distribution *values);
/* Sets count, mean (the pooled quantile), low, high, half, error and too_short of an estimate.
 * `total` has the values of all replications. */
void sim_pooled_quantile(const struct sim_pooled *pooled, const struct sim_distribution *total,
                         struct sim_estimate *estimate);
