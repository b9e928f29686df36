/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/results/pooled.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/sim/results/sim_statistics.h"
#include "tools/stats/distributions.h"
#include "tools/stats/statistics.h"

/* Moments are kept at every STEP-th bound of a class, and interpolated between. */
#define STEP   ((size_t)8)
#define POINTS (SIM_CLASSES / STEP + 1)
/* An interval needs values worth as many independent ones beyond the quantile. With fewer, its
 * coverage falls below 93 % (README.md here). */
#define WORTH_LEAST 3
/* smallest ((1 - p) / standard error)^2 of the share beyond the quantile: number of bursts */
#define BURSTS_LEAST 2
#define ROUNDING     1e-13 /* a smaller variance of a share is a rounding error */

/* Sums over replications at one bound. With n values in a replication and e of them beyond the
 * bound, f is e - share n: a number near 0, so that no digits are lost. */
struct sim_pooled_point {
    double share; /* e / n of the first replication */
    double f2, fn, f3, f2n, fn2;
};

void sim_pooled_init(struct sim_pooled *pooled)
{
    *pooled = (struct sim_pooled){.at = alloc_zeroed(POINTS * sizeof(*pooled->at))};
}

void sim_pooled_free(struct sim_pooled *pooled)
{
    free(pooled->at);
    pooled->at = NULL;
}

void sim_pooled_add(struct sim_pooled *pooled, const struct sim_distribution *values)
{
    const double n = (double)values->count;
    uint64_t beyond = 0;

    for (size_t bound = SIM_CLASSES + 1; n > 0 && bound-- > 0;) {
        beyond += bound < SIM_CLASSES ? values->classes[bound] : 0;
        if (bound % STEP == 0) {
            struct sim_pooled_point *const at = &pooled->at[bound / STEP];

            if (pooled->n == 0) {
                at->share = (double)beyond / n;
            }
            const double f = (double)beyond - at->share * n;

            at->f2 += f * f;
            at->fn += f * n;
            at->f3 += f * f * f;
            at->f2n += f * f * n;
            at->fn2 += f * n * n;
        }
    }
    pooled->replications++;
    pooled->n += n;
    pooled->n2 += n * n;
    pooled->n3 += n * n * n;
    pooled->sum2 += values->sum * values->sum;
    pooled->sum_n += values->sum * n;
}

/* Central moments of D = e - (1 - p) n at one bound. */
struct moments {
    double variance, third;
};

static struct moments moments_at(const struct sim_pooled *pooled, size_t point, double beyond,
                                 double rest)
{
    const struct sim_pooled_point *const at = &pooled->at[point];
    const double r = pooled->replications;
    const double a = rest - at->share; /* D = f - a n */
    const double mean = (beyond - rest * pooled->n) / r;
    const double second = at->f2 - 2 * a * at->fn + a * a * pooled->n2;
    const double third = at->f3 - 3 * a * at->f2n + 3 * a * a * at->fn2 - a * a * a * pooled->n3;

    return (struct moments){second / r - mean * mean,
                            third / r - 3 * mean * second / r + 2 * mean * mean * mean};
}

/* What a scan of the bounds of classes needs. A bound is the number of the class above it. */
struct scan {
    const struct sim_pooled *pooled;
    const struct sim_distribution *total;
    double rest;     /* 1 - p */
    size_t point;    /* the point at or below the bound */
    double beyond;   /* number of values beyond the bound */
    double from, to; /* the same for the points around the bound */
    struct moments low, high;
};

static void next_point(struct scan *scan, size_t point)
{
    double inside = 0;

    for (size_t i = point * STEP; i < (point + 1) * STEP && i < SIM_CLASSES; i++) {
        inside += (double)scan->total->classes[i];
    }
    scan->point = point;
    scan->from = scan->beyond;
    scan->to = scan->beyond - inside;
    scan->low = moments_at(scan->pooled, point, scan->from, scan->rest);
    scan->high =
        point + 1 < POINTS ? moments_at(scan->pooled, point + 1, scan->to, scan->rest) : scan->low;
}

static struct scan scan_begin(const struct sim_pooled *pooled, const struct sim_distribution *total,
                              double p)
{
    struct scan scan = {.pooled = pooled,
                        .total = total,
                        .rest = 1 - p,
                        .beyond = (double)(total->count - total->zeroes)};

    next_point(&scan, 0);
    return scan;
}

/* Moves on by a class. */
static void scan_next(struct scan *scan, size_t bound)
{
    scan->beyond -= (double)scan->total->classes[bound - 1];
    if (bound % STEP == 0) {
        next_point(scan, bound / STEP);
    }
}

/* Returns the variance of the share beyond the bound, from one replication to another; *skew is the
 * skewness. Both follow the number of values between the two points. */
static double share_variance(const struct scan *scan, double *skew)
{
    const double n = scan->pooled->n / scan->pooled->replications;
    const double part =
        scan->from > scan->to ? (scan->from - scan->beyond) / (scan->from - scan->to) : 0;
    const double variance = scan->low.variance + part * (scan->high.variance - scan->low.variance);
    const double third = scan->low.third + part * (scan->high.third - scan->low.third);
    const double r = scan->pooled->replications;

    if (!(variance > ROUNDING * n * n)) {
        *skew = 0;
        return 0;
    }
    *skew = third / pow(variance, 1.5);
    return variance / (n * n) * r / (r - 1);
}

/* Returns Student's t of the share beyond the bound, corrected for its skewness. */
static double t_at(const struct scan *scan)
{
    const double r = scan->pooled->replications;
    const double above = scan->beyond / scan->pooled->n - scan->rest;
    double skew;
    const double variance = share_variance(scan, &skew);

    if (scan->beyond == 0 || variance == 0) {
        return above > 0 ? INFINITY : -INFINITY;
    }
    const double t = above / sqrt(variance);

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

/* Returns whether too few independent values are beyond the quantile, or beyond the upper end. */
static bool is_too_short(const struct sim_pooled *pooled, const struct sim_distribution *total,
                         double p, double bursts, double beyond_high)
{
    return worth(pooled, total) * fmin(p, 1 - p) < WORTH_LEAST || bursts < BURSTS_LEAST ||
           beyond_high < STATISTICS_ABOVE_MIN;
}

void sim_pooled_quantile(const struct sim_pooled *pooled, const struct sim_distribution *total,
                         double p, struct sim_estimate *estimate)
{
    const double r = pooled->replications;

    *estimate = (struct sim_estimate){.mean = sim_quantile_known(total, p),
                                      .deviation = NAN,
                                      .error = NAN,
                                      .half = NAN,
                                      .low = NAN,
                                      .high = NAN};
    if (isnan(estimate->mean)) {
        return;
    }
    estimate->count = (size_t)r;
    if (r < 2) {
        return;
    }
    const double t = distribution_student_quantile(SIM_UPPER_95, r - 1);
    struct scan scan = scan_begin(pooled, total, p);
    double bursts = NAN; /* at the quantile */
    /* values in the class of the upper end, and beyond */
    double beyond_high = (double)total->count;
    size_t low = SIM_NONE; /* bounds */
    size_t high = SIM_NONE;

    /* The interval ends where the test first rejects a value above the quantile. Far above, where
     * hardly a replication has values, it may fail to reject again. */
    for (size_t bound = 0; high == SIM_NONE; bound++) {
        if (bound > 0) {
            beyond_high = scan.beyond;
            scan_next(&scan, bound);
        }
        if (bound > 0 && total->classes[bound - 1] == 0) {
            continue; /* nothing has changed */
        }
        const double now = t_at(&scan);

        low = low == SIM_NONE && now <= t ? bound : low;
        if (isnan(bursts) && scan.beyond <= scan.rest * pooled->n * (1 + 1e-12)) {
            double skew;

            bursts = scan.rest * scan.rest * r / share_variance(&scan, &skew);
        }
        high = !isnan(bursts) && now < -t ? bound : SIM_NONE;
    }
    estimate->too_short = is_too_short(pooled, total, p, bursts, beyond_high);
    if (!estimate->too_short) {
        estimate->low = sim_distribution_bound(total, low);
        estimate->high = sim_distribution_bound(total, high);
        estimate->half = (estimate->high - estimate->low) / 2;
    }
}
