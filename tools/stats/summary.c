/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/stats/distributions.h"
#include "tools/stats/statistics.h"

#define TAIL            0.025 /* probability on each side of a 95 % interval */
#define ROUNDING        1e-6  /* tolerance for a rank that should be a whole number */
#define PARTS           10000 /* quantiles are multiples of 1 / PARTS */
#define FLAGS_MIN       40
#define FLAGS_ALPHA     0.05
#define LAGS_MAX        64
#define CORRELATION_MAX 0.9999
#define NEGLIGIBLE      1e-12

/* ---- order ---- */

static size_t rank_of(size_t n, size_t parts)
{
    return (n * parts + PARTS - 1) / PARTS;
}

double summary_quantile_of(const double *sorted, size_t n, double q)
{
    const size_t rank = rank_of(n, (size_t)lround(q * PARTS));

    return sorted[rank > 0 ? rank - 1 : 0];
}

double summary_quantile(const double *values, size_t n, double q)
{
    double *sorted = sort_copy(values, n);
    const double quantile = summary_quantile_of(sorted, n, q);

    free(sorted);
    return quantile;
}

bool summary_interval_ranks(size_t n, double q, size_t *low, size_t *high)
{
    *low = distribution_binomial_low(n, q, TAIL);
    *high = n + 1 - distribution_binomial_low(n, 1 - q, TAIL);
    return *low >= 1 && *high <= n;
}

bool summary_widened_ranks(size_t n, double q, double inflation, size_t *low, size_t *high)
{
    if (!summary_interval_ranks(n, q, low, high) || !isfinite(inflation)) {
        return false;
    }
    const double middle = q * (double)(n + 1);
    const double from = floor(middle - (middle - (double)*low) * sqrt(inflation) + ROUNDING);
    const double to = ceil(middle + ((double)*high - middle) * sqrt(inflation) - ROUNDING);

    if (from < 1 || to > (double)n) {
        return false;
    }
    *low = (size_t)from;
    *high = (size_t)to;
    return true;
}

/* If the widened interval of the median would reach beyond all values, the minimum and maximum may
 * bound it, provided that all values rarely are on one side of the median. */
static bool bounded_by_all(size_t n, const struct inflation *inflation)
{
    return n >= INFLATION_MIN && inflation_one_side(n, inflation->correlation) <= TAIL;
}

static bool interval_ranks(size_t n, double q, const struct inflation *inflation, size_t *low,
                           size_t *high)
{
    if (summary_widened_ranks(n, q, inflation->factor, low, high)) {
        return true;
    }
    *low = 1;
    *high = n;
    return q == 0.5 && bounded_by_all(n, inflation);
}

const char *summary_interval_unknown(const struct summary *summary)
{
    if (summary->median.has_interval) {
        return NULL;
    }
    return summary->n < INFLATION_MIN ? "too few values" : "values too correlated";
}

/* ---- summary ---- */

static void set_quantile(const double *sorted, size_t n, size_t parts,
                         const struct inflation *inflation, struct summary_quantile *quantile)
{
    quantile->reported =
        2 * parts == PARTS || n * (PARTS - parts) >= (size_t)STATISTICS_ABOVE_MIN * PARTS;
    if (!quantile->reported) {
        return;
    }
    quantile->value = sorted[rank_of(n, parts) - 1];
    quantile->has_interval = interval_ranks(n, (double)parts / PARTS, inflation,
                                            &quantile->low_rank, &quantile->high_rank);
    if (quantile->has_interval) {
        quantile->low = sorted[quantile->low_rank - 1];
        quantile->high = sorted[quantile->high_rank - 1];
    }
}

static void set_quantiles(const double *sorted, size_t n, struct summary *summary)
{
    const struct inflation *inflation = &summary->inflation;

    summary->min = sorted[0];
    summary->max = sorted[n - 1];
    summary->exact = sorted[0] == sorted[n - 1];
    set_quantile(sorted, n, PARTS / 2, inflation, &summary->median);
    set_quantile(sorted, n, 9000, inflation, &summary->p90);
    set_quantile(sorted, n, 9900, inflation, &summary->p99);
    set_quantile(sorted, n, 9990, inflation, &summary->p999);
    set_quantile(sorted, n, 9999, inflation, &summary->p9999);
}

/* Computes the median absolute deviation. From the median outwards, deviations rise. */
static void set_mad(const double *sorted, size_t n, struct summary *summary)
{
    const double median = summary->median.value;
    size_t low = rank_of(n, PARTS / 2);
    size_t high = low;

    for (size_t rank = low; rank > 0; rank--) {
        const bool above =
            low == 0 || (high < n && sorted[high] - median < median - sorted[low - 1]);

        summary->mad = fabs(above ? sorted[high++] - median : median - sorted[--low]);
    }
}

static void set_correlation(const double *values, struct summary *summary, double squares)
{
    const size_t n = summary->n;

    for (size_t lag = 1; lag <= SUMMARY_LAGS && lag < n && !summary->exact; lag++) {
        const double r = statistics_covariation(values, n, summary->mean, lag) / squares;

        summary->autocorrelation[lag - 1] = r;
        if (n >= FLAGS_MIN &&
            distribution_normal_two_sided(r * sqrt((double)n)) * SUMMARY_LAGS <= FLAGS_ALPHA) {
            summary->correlated = true;
        }
    }
}

static void set_drift(const double *values, struct summary *summary)
{
    const size_t quarter = summary->n / 4;

    if (summary->n < FLAGS_MIN) {
        return;
    }
    double *first = sort_copy(values, quarter);
    double *last = sort_copy(values + summary->n - quarter, quarter);
    size_t low;
    size_t high;

    summary->drift =
        summary_quantile_of(last, quarter, 0.5) - summary_quantile_of(first, quarter, 0.5);
    summary->drifts = summary_interval_ranks(quarter, 0.5, &low, &high) &&
                      (last[low - 1] > first[high - 1] || last[high - 1] < first[low - 1]);
    free(first);
    free(last);
}

/* Begins a summary. Returns NULL if n is 0, otherwise the sorted values, which the caller frees. */
static double *begin_summary(const double *values, size_t n, struct summary *summary)
{
    memset(summary, 0, sizeof(*summary));
    summary->n = n;
    if (n == 0) {
        return NULL;
    }
    double *sorted = alloc_zeroed(n * sizeof(*sorted));

    summary->inflation = inflation_of(values, n, sorted);
    set_quantiles(sorted, n, summary);
    return sorted;
}

void summary_quantiles_of(const double *values, size_t n, struct summary *summary)
{
    free(begin_summary(values, n, summary));
}

void summary_of(const double *values, size_t n, struct summary *summary)
{
    double *sorted = begin_summary(values, n, summary);

    if (n == 0) {
        return;
    }
    set_mad(sorted, n, summary);
    free(sorted);
    while (values[summary->max_at] != summary->max) {
        summary->max_at++;
    }
    for (size_t i = 0; i < SUMMARY_LAGS; i++) {
        summary->autocorrelation[i] = NAN;
    }
    summary->mean = summary->exact ? values[0] : statistics_mean(values, n);
    const double squares = statistics_covariation(values, n, summary->mean, 0);

    summary->deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
    set_correlation(values, summary, squares);
    set_drift(values, summary);
}

/* ---- rates ---- */

void summary_rate_of(uint64_t events, double time, struct summary_rate *rate)
{
    const double n = (double)events;

    *rate = (struct summary_rate){.events = events, .time = time, .rate = n / time};
    if (events == 0) {
        rate->high = -log(2 * TAIL) / time;
        return;
    }
    rate->low = distribution_gamma_quantile(n, TAIL) / time;
    rate->high = distribution_gamma_quantile(n + 1, 1 - TAIL) / time;
}

/* ---- effect of correlation ---- */

/* Returns the ranks of the values, from 1, and sorts them to `sorted` unless it is NULL. Equal
 * values get their mean rank. */
static double *ranks_of(const double *values, size_t n, double *sorted)
{
    struct sort_placed *order = alloc_zeroed(n * sizeof(*order));
    double *ranks = alloc_zeroed(n * sizeof(*ranks));

    for (size_t i = 0; i < n; i++) {
        order[i] = (struct sort_placed){values[i], i};
    }
    sort_placed(order, n);
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;

        while (end < n && order[end].value == order[i].value) {
            end++;
        }
        for (size_t k = i; k < end; k++) {
            if (sorted != NULL) {
                sorted[k] = order[k].value;
            }
            ranks[order[k].index] = (double)(i + 1 + end) / 2;
        }
        i = end;
    }
    free(order);
    return ranks;
}

static double variance_of(const double *values, size_t n)
{
    return statistics_covariation(values, n, statistics_mean(values, n), 0) / (double)n;
}

/* ---- estimate by all autocorrelations ---- */

/* Sums the autocorrelations up to the first that is not above 0. Returns false if that is beyond
 * LAGS_MAX. (The autocorrelations of all n - 1 lags sum to -1/2, so one of them is not above 0.) */
static bool sum_autocorrelations(const double *values, size_t n, double *sum)
{
    const double mean = statistics_mean(values, n);
    const double squares = statistics_covariation(values, n, mean, 0);

    *sum = 0;
    for (size_t lag = 1; lag <= LAGS_MAX; lag++) {
        const double r = lag < n ? statistics_covariation(values, n, mean, lag) / squares : 0;

        if (!(r > 0)) {
            return true;
        }
        *sum += r;
    }
    return false;
}

/* Replaces each pair of values by its mean. Returns the number of means. */
static size_t halve(double *values, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        values[i] = (values[2 * i] + values[2 * i + 1]) / 2;
    }
    return n / 2;
}

/* Estimates the factor from the sum of autocorrelations. Correlation over more than LAGS_MAX values
 * is evaluated in blocks of 2, 4, 8, ...: the mean of all values is the mean of the block means
 * (Flyvbjerg and Petersen 1989). The mean is estimated from the values themselves, which hides a
 * part of the sum. Overwrites the values. */
static double factor_by_sum(double *values, size_t count)
{
    const double variance = variance_of(values, count);
    size_t n = count;
    double block = 1;
    double sum;

    while (!sum_autocorrelations(values, n, &sum)) {
        n = halve(values, n);
        block *= 2;
    }
    const double factor = block * variance_of(values, n) / variance * (1 + 2 * sum);
    const double hidden = factor / (double)count;

    return hidden < 0.5 ? factor / (1 - hidden) : (double)count;
}

/* ---- estimate as an autoregression ---- */

/* Returns the factor for the mean of n values, each of which has this correlation with the previous
 * one. */
static double factor_of(double correlation, size_t n)
{
    double power = correlation;
    double sum = 0;

    for (size_t k = 1; k < n && power > NEGLIGIBLE; k++) {
        sum += (1 - (double)k / (double)n) * power;
        power *= correlation;
    }
    return 1 + 2 * sum;
}

static double correlation_of(const double *ranks, size_t n)
{
    const double count = (double)n;
    const double mean = statistics_mean(ranks, n);
    const double seen =
        statistics_covariation(ranks, n, mean, 1) / statistics_covariation(ranks, n, mean, 0);
    const double unbiased = fmin((count * seen + 1) / (count - 4), CORRELATION_MAX);
    const double deviation = sqrt(fmax(0, 1 - unbiased * unbiased) / count);

    return fmin(fmax(0, unbiased + INFLATION_MARGIN * deviation), CORRELATION_MAX);
}

static bool are_equal(const double *values, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (values[i] != values[0]) {
            return false;
        }
    }
    return true;
}

struct inflation inflation_of(const double *values, size_t n, double *sorted)
{
    double *ranks = ranks_of(values, n, sorted);

    if (are_equal(values, n) || n < INFLATION_MIN) {
        free(ranks);
        return are_equal(values, n) ? (struct inflation){1, 0} : (struct inflation){INFINITY, 1};
    }
    const double correlation = correlation_of(ranks, n);
    const double factor = factor_of(correlation, n);
    const double by_sum = factor_by_sum(ranks, n);

    free(ranks);
    return (struct inflation){fmax(factor, by_sum), correlation};
}

double inflation_one_side(size_t n, double correlation)
{
    /* probability that two successive values are on the same side */
    const double same = 0.5 + asin(correlation) / M_PI;

    return n > 0 ? pow(same, (double)(n - 1)) : 1;
}
