/* SPDX-License-Identifier: BSD-2-Clause */
/* Summaries, their intervals and the distributions behind them, against SciPy's values. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/sort.h"
#include "tools/stats/distributions.h"
#include "tools/stats/statistics.h"
#include "tools/stats/summary.h"
#include "tools/stats/tests/summary_values.h"
#include "tools/tests/support/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* To 1e-9 of the value. */
static bool near(double value, double known)
{
    const bool same = value == known || fabs(value - known) <= 1e-9 * fabs(known);

    if (!same) {
        fprintf(stderr, "%.17g is not %.17g\n", value, known);
    }
    return same;
}

/* SciPy's interval is that of independent values; correlation, and how little is known of it,
 * widens it. */
static void check_median(const double *values, const struct known_summary *known,
                         const struct summary *s)
{
    double *sorted = malloc(known->n * sizeof(*sorted));
    size_t low;
    size_t high;

    memcpy(sorted, values, known->n * sizeof(*sorted));
    sort_reals(sorted, known->n);
    CHECK(summary_interval_ranks(known->n, 0.5, &low, &high));
    CHECK(near(sorted[low - 1], known->median_low) && near(sorted[high - 1], known->median_high));
    CHECK(s->median.has_interval && s->median.low_rank <= low && s->median.high_rank >= high);
    CHECK(s->median.low_rank + s->median.high_rank == known->n + 1);
    CHECK(near(sorted[s->median.low_rank - 1], s->median.low));
    CHECK(near(sorted[s->median.high_rank - 1], s->median.high));
    free(sorted);
}

/* The short summary is a part of the whole. */
static void check_quantiles(const double *values, const struct summary *whole)
{
    struct summary s;

    summary_quantiles_of(values, whole->n, &s);
    CHECK(s.n == whole->n && s.exact == whole->exact);
    CHECK(s.min == whole->min && s.max == whole->max);
    CHECK(s.inflation.factor == whole->inflation.factor);
    CHECK(s.median.value == whole->median.value && s.median.low == whole->median.low &&
          s.median.high == whole->median.high && s.p99.reported == whole->p99.reported);
    CHECK(s.p90.value == whole->p90.value && s.p99.value == whole->p99.value &&
          s.p999.value == whole->p999.value && s.p9999.value == whole->p9999.value);
}

static void check_known(const double *values, const struct known_summary *known)
{
    struct summary s;

    summary_of(values, known->n, &s);
    check_quantiles(values, &s);
    const struct summary_quantile *const quantiles[] = {&s.median, &s.p90, &s.p99, &s.p999,
                                                        &s.p9999};

    CHECK_EQUAL(s.n, known->n);
    CHECK(near(s.mean, known->mean));
    CHECK(near(s.deviation, known->deviation));
    CHECK(near(s.mad, known->mad));
    check_median(values, known, &s);
    for (size_t i = 0; i < COUNT(quantiles); i++) {
        CHECK_EQUAL(quantiles[i]->reported, i < known->quantile_count);
        CHECK(!quantiles[i]->reported || near(quantiles[i]->value, known->quantiles[i]));
    }
    for (size_t i = 0; i < SUMMARY_LAGS; i++) {
        CHECK(fabs(s.autocorrelation[i] - known->autocorrelation[i]) < 1e-9);
    }
    CHECK(!s.exact && s.max == values[s.max_at]);
}

static void test_known(void)
{
    check_known(set_skewed, &known_skewed);
    check_known(set_skewed_more, &known_skewed_more);
    check_known(set_ties, &known_ties);
    check_known(set_ties_more, &known_ties_more);
    check_known(set_negative, &known_negative);
    check_known(set_correlated, &known_correlated);
    check_known(set_thousand, &known_thousand);
}

static void test_small(void)
{
    static const double one[] = {-3};
    static const double same[] = {5, 5, 5, 5, 5, 5, 5};
    static const double four[] = {4, 9, 9, 1};
    struct summary s;

    summary_of(NULL, 0, &s);
    CHECK(s.n == 0 && !s.median.reported);
    summary_of(one, 1, &s);
    CHECK(s.n == 1 && s.exact && s.min == -3 && s.max == -3 && s.median.value == -3);
    CHECK(s.mean == -3 && isnan(s.deviation) && s.mad == 0 && !s.median.has_interval);
    CHECK(isnan(s.autocorrelation[0]));
    summary_of((double[]){0, -0.0, -0.0}, 3, &s);
    CHECK(s.mad == 0 && !signbit(s.mad));
    summary_of(same, COUNT(same), &s);
    CHECK(s.exact && s.deviation == 0 && s.mad == 0 && s.median.has_interval);
    CHECK(s.median.low == 5 && s.median.high == 5 && isnan(s.autocorrelation[0]));
    CHECK(!s.drifts && !s.correlated);
    summary_of(four, COUNT(four), &s);
    CHECK(s.max_at == 1 && s.median.value == 4 && s.mad == 3 && !s.p90.reported);
    CHECK_TEXT(summary_interval_unknown(&s), "too few values");
    CHECK(!isnan(s.autocorrelation[2]) && isnan(s.autocorrelation[3]));
}

static void test_ranks(void)
{
    for (size_t i = 0; i < COUNT(known_ranks); i++) {
        const struct known_ranks *known = &known_ranks[i];
        size_t low;
        size_t high;
        const bool good = summary_interval_ranks(known->n, known->q, &low, &high);

        CHECK_EQUAL(good, known->low > 0);
        CHECK(!good || (low == known->low && high == known->high));
    }
}

/* Distances from the middle grow by the root of the inflation; beyond all values there is none. */
static void test_widened(void)
{
    size_t low;
    size_t high;

    CHECK(summary_widened_ranks(100, 0.5, 1, &low, &high) && low == 40 && high == 61);
    CHECK(summary_widened_ranks(100, 0.5, 4, &low, &high) && low == 29 && high == 72);
    CHECK(summary_widened_ranks(100, 0.5, 22, &low, &high) && low == 1 && high == 100);
    CHECK(!summary_widened_ranks(100, 0.5, 23, &low, &high));
    CHECK(!summary_widened_ranks(100, 0.5, INFINITY, &low, &high));
}

/* Ten values that rise: they may all lie on one side of what they vary about. */
static void test_too_correlated(void)
{
    double values[40];
    struct summary s;

    for (size_t i = 0; i < COUNT(values); i++) {
        values[i] = (double)(i * i);
    }
    summary_of(values, 10, &s);
    CHECK(!s.median.has_interval && s.median.value == 16);
    CHECK_TEXT(summary_interval_unknown(&s), "values too correlated");
    for (size_t i = 0; i < COUNT(values); i++) {
        values[i] = (double)(i * 7 % 10);
    }
    summary_of(values, 10, &s);
    CHECK(s.median.has_interval && summary_interval_unknown(&s) == NULL);
    summary_of(values, 9, &s);
    CHECK(!s.median.has_interval); /* correlation cannot be seen */
}

static void test_rates(void)
{
    struct summary_rate rate;

    for (size_t i = 0; i < COUNT(known_rates); i++) {
        summary_rate_of(known_rates[i].events, 4, &rate);
        CHECK(near(rate.rate, (double)known_rates[i].events / 4));
        CHECK(near(rate.low, known_rates[i].low / 4));
        CHECK(near(rate.high, known_rates[i].high / 4));
    }
    summary_rate_of(0, 2, &rate);
    CHECK(rate.rate == 0 && rate.low == 0 && near(rate.high, -log(0.05) / 2));
}

/* P(|T| >= t), by mpmath's incomplete beta function. */
static void test_student(void)
{
    static const struct {
        double t, freedom, p;
    } known[] = {
        {0.5, 1, 0.70483276469913345},   {2, 1, 0.29516723530086655},
        {3, 2.5, 0.072576095549031844},  {1, 4, 0.37390096630005889},
        {4.6, 8, 0.0017554527694852264}, {12, 3.7, 0.00042678739938124502},
        {2, 30, 0.054625044962983104},   {5, 1000, 6.7672563646486304e-7},
    };
    /* Of printed tables. */
    static const struct {
        double p, freedom, t;
    } tails[] = {
        {0.025, 29, 2.045230}, {0.025, 9, 2.262157}, {0.025, 4, 2.776445},
        {0.005, 29, 2.756386}, {0.05, 7, 1.894579},  {0.025, 1e6, 1.959966},
    };

    for (size_t i = 0; i < COUNT(known); i++) {
        CHECK(near(distribution_student_two_sided(known[i].t, known[i].freedom), known[i].p));
        CHECK(
            near(distribution_student_quantile(1 - known[i].p / 2, known[i].freedom), known[i].t));
    }
    for (size_t i = 0; i < COUNT(tails); i++) {
        const double t = distribution_student_quantile(1 - tails[i].p, tails[i].freedom);

        CHECK(fabs(t - tails[i].t) <= 1.5e-6);
        CHECK(fabs(distribution_student_two_sided(t, tails[i].freedom) / 2 - tails[i].p) <=
              1e-9 * tails[i].p);
    }
    CHECK(near(distribution_student_two_sided(0.01, 1) / 2, 0.5 - atan(0.01) / M_PI));
    CHECK(near(distribution_student_two_sided(2, 2) / 2, 0.5 - 1 / sqrt(6)));
    CHECK(fabs(distribution_student_quantile(1 - 1e-6, 1) - 1 / tan(M_PI * 1e-6)) <= 1e-3);
    CHECK(distribution_student_two_sided(0, 3) == 1);
    CHECK(distribution_student_two_sided(INFINITY, 3) == 0);
}

static void test_distributions(void)
{
    for (size_t i = 0; i < COUNT(known_normal); i++) {
        CHECK(near(distribution_normal_quantile(known_normal[i].x), known_normal[i].y));
    }
    CHECK(near(distribution_normal_two_sided(distribution_normal_quantile(0.025)), 0.05));
    for (size_t i = 0; i < COUNT(known_kolmogorov); i++) {
        CHECK(near(distribution_kolmogorov(known_kolmogorov[i].x), known_kolmogorov[i].y));
    }
    for (size_t i = 0; i < COUNT(known_binomial); i++) {
        CHECK(near(distribution_binomial(30, 0.3, known_binomial[i].x), known_binomial[i].y));
    }
    for (size_t i = 0; i < COUNT(known_binomial_large); i++) {
        const struct known_point *known = &known_binomial_large[i];

        CHECK(near(distribution_binomial(1e6, 0.25, known->x + 249000), known->y));
    }
}

/* What is drawn from one spread neither drifts nor is correlated; a walk, a ramp and a step do. */
static void test_flags(void)
{
    static double values[400];
    uint64_t seed = 99;
    size_t drifts = 0;
    size_t correlated = 0;
    struct summary s;

    for (size_t round = 0; round < 400; round++) {
        for (size_t i = 0; i < COUNT(values); i++) {
            values[i] = (double)(unit_random(&seed) % 1000);
        }
        summary_of(values, COUNT(values), &s);
        drifts += s.drifts;
        correlated += s.correlated;
    }
    CHECK(drifts <= 12);     /* 3 % */
    CHECK(correlated <= 32); /* 8 %, where 5 % are due */
    summary_of(set_correlated, COUNT(set_correlated), &s);
    CHECK(s.correlated);
    for (size_t i = 0; i < COUNT(values); i++) {
        values[i] = (double)(unit_random(&seed) % 1000) + (i < 200 ? 0 : 400);
    }
    summary_of(values, COUNT(values), &s);
    CHECK(s.drifts && s.drift > 250 && s.drift < 550);
    summary_of(values, 39, &s);
    CHECK(!s.drifts && !s.correlated);
}

int main(void)
{
    RUN(test_known());
    RUN(test_small());
    RUN(test_ranks());
    RUN(test_widened());
    RUN(test_too_correlated());
    RUN(test_rates());
    RUN(test_student());
    RUN(test_distributions());
    RUN(test_flags());
    return unit_finish("unit_summary");
}
