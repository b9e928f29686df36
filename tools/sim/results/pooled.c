/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/results/pooled.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/sim/results/sim_statistics.h"
#include "tools/stats/distributions.h"
#include "tools/stats/statistics.h"

/* An interval needs values worth as many independent ones beyond the quantile. With fewer, its
 * coverage falls below 93 % (README.md here). */
#define WORTH_LEAST 3
/* smallest ((1 - p) / standard error)^2 of the share beyond the quantile: number of bursts */
#define BURSTS_LEAST 2
#define ROUNDING     1e-13 /* a smaller variance of a share is a rounding error */

/*
 * A bound is the number of the class above it. With n values in a replication and e of them beyond
 * a bound, D = e - (1 - p) n is 0 on average if the bound is at the quantile. Sums of D^2 and D^3
 * over the replications are kept as steps from each bound to the next lower one, so that a
 * replication changes only those at its values.
 */
void sim_pooled_init(struct sim_pooled *pooled, double p)
{
    *pooled =
        (struct sim_pooled){.p = p, .step = alloc_zeroed(SIM_CLASSES * sizeof(*pooled->step))};
}

void sim_pooled_free(struct sim_pooled *pooled)
{
    free(pooled->step);
    pooled->step = NULL;
}

void sim_pooled_add(struct sim_pooled *pooled, const struct sim_distribution *values)
{
    const double n = (double)values->count;
    double d = -(1 - pooled->p) * n;

    for (size_t class = SIM_CLASSES; class -- > 0;) {
        if (values->classes[class] != 0) {
            const double next = d + (double)values->classes[class];

            pooled->step[class][0] += next * next - d * d;
            pooled->step[class][1] += next * next * next - d * d * d;
            d = next;
        }
    }
    pooled->replications++;
    pooled->n += n;
    pooled->n2 += n * n;
    pooled->n3 += n * n * n;
    pooled->sum2 += values->sum * values->sum;
    pooled->sum_n += values->sum * n;
}

/* Returns the variance of D / n from one replication to another; *skew is the skewness. */
static double variance_of(const struct sim_pooled *pooled, double beyond, const double sums[2],
                          double *skew)
{
    const double r = pooled->replications;
    const double n = pooled->n / r;
    const double mean = (beyond - (1 - pooled->p) * pooled->n) / r;
    const double variance = sums[0] / r - mean * mean;

    *skew = 0;
    if (!(variance > ROUNDING * n * n)) {
        return 0;
    }
    *skew = (sums[1] / r - 3 * mean * sums[0] / r + 2 * mean * mean * mean) / pow(variance, 1.5);
    return variance / (n * n) * r / (r - 1);
}

/* Returns Student's t of a share that is too large by `excess`, corrected for its skewness. */
static double t_of(double excess, double variance, double skew, double r)
{
    const double t = excess / sqrt(variance);

    if (variance == 0) {
        return excess > 0 ? INFINITY : -INFINITY;
    }
    return sqrt(r) * (t + skew * t * t / 3 + skew * skew * t * t * t / 27 + skew / (6 * r));
}

/* Returns how many independent values all replications are worth: the variance of one value divided
 * by that of the mean. NAN if all are equal. */
static double worth(const struct sim_pooled *pooled, const struct sim_distribution *total)
{
    const double r = pooled->replications;
    const double n = pooled->n / r;
    const double mean = sim_distribution_mean(total);
    const double squares = pooled->sum2 - 2 * mean * pooled->sum_n + mean * mean * pooled->n2;
    const double deviation = sim_distribution_deviation(total);

    return deviation * deviation / (squares / ((r - 1) * r * n * n));
}

void sim_pooled_quantile(const struct sim_pooled *pooled, const struct sim_distribution *total,
                         struct sim_estimate *estimate)
{
    const double r = pooled->replications;
    const double rest = 1 - pooled->p;
    double sums[2] = {rest * rest * pooled->n2, -rest * rest * rest * pooled->n3};
    double beyond = 0;
    double bursts = NAN;      /* at the quantile */
    double beyond_high = NAN; /* number of values not below the upper end */
    size_t low = 0;           /* bounds */
    size_t high = 0;

    *estimate = (struct sim_estimate){.mean = sim_quantile_known(total, pooled->p)};
    estimate->deviation = estimate->error = estimate->half = estimate->low = estimate->high = NAN;
    estimate->count = isnan(estimate->mean) ? 0 : (size_t)r;
    if (estimate->count < 2) {
        return;
    }
    const double t = distribution_student_quantile(SIM_UPPER_95, r - 1);

    for (size_t bound = SIM_CLASSES + 1; bound-- > 0;) {
        if (bound < SIM_CLASSES) {
            beyond += (double)total->classes[bound];
            sums[0] += pooled->step[bound][0];
            sums[1] += pooled->step[bound][1];
        }
        const double inside = (double)(bound > 0 ? total->classes[bound - 1] : total->zeroes);

        if (inside == 0) {
            continue; /* no value ends at this bound */
        }
        double skew;
        const double variance = variance_of(pooled, beyond, sums, &skew);
        const double now =
            beyond > 0 ? t_of(beyond / pooled->n - rest, variance, skew, r) : -INFINITY;

        low = now <= t ? bound : low;
        /* The upper end is where the test first rejects a value above the quantile. Far above,
         * where hardly a replication has values, it may fail to reject again. */
        if (beyond <= rest * pooled->n * (1 + 1e-12)) {
            bursts = rest * rest * r / variance;
            high = now < -t ? bound : high;
            beyond_high = now < -t ? beyond + inside : beyond_high;
        }
    }
    estimate->too_short = worth(pooled, total) * fmin(pooled->p, rest) < WORTH_LEAST ||
                          bursts < BURSTS_LEAST || beyond_high < STATISTICS_ABOVE_MIN;
    if (!estimate->too_short) {
        estimate->low = sim_distribution_bound(total, low);
        estimate->high = sim_distribution_bound(total, high);
        estimate->half = (estimate->high - estimate->low) / 2;
        estimate->error = estimate->half / t;
    }
}
