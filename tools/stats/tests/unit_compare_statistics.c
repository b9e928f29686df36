/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparisons of two samples, checked against SciPy's values and against plain enumeration. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/sort.h"
#include "tools/stats/compare_statistics.h"
#include "tools/stats/distributions.h"
#include "tools/stats/summary.h"
#include "tools/stats/tests/summary_values.h"
#include "tools/tests/support/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* To 1e-9 of the value. */
static bool near(double value, double known)
{
    const bool same = value == known || (isnan(value) && isnan(known)) ||
                      fabs(value - known) <= 1e-9 * fabs(known);

    if (!same) {
        fprintf(stderr, "%.17g is not %.17g\n", value, known);
    }
    return same;
}

static double *sorted_copy(const double *values, size_t n)
{
    double *sorted = malloc(n * sizeof(*sorted));

    memcpy(sorted, values, n * sizeof(*sorted));
    sort_reals(sorted, n);
    return sorted;
}

static void test_known_pairs(void)
{
    for (size_t i = 0; i < COUNT(known_pairs); i++) {
        const struct known_pair *known = &known_pairs[i];
        double *a = sorted_copy(known->a, known->a_count);
        double *b = sorted_copy(known->b, known->b_count);
        struct two_samples two;

        compare_samples(a, known->a_count, b, known->b_count, 1, &two);
        CHECK(near(two.u, known->u));
        CHECK(near(two.p, known->p));
        CHECK(fabs(two.delta - known->delta) < 1e-9);
        CHECK(fabs(two.shift - known->shift) < 1e-9);
        CHECK_EQUAL(two.has_interval, !isnan(known->low));
        CHECK(near(two.low, known->low) && near(two.high, known->high));
        CHECK(fabs(two.ks - known->ks) < 1e-9);
        CHECK(near(two.ks_p, known->ks_p));
        free(a);
        free(b);
    }
}

/* Large samples: quick, and the shift is right. */
static void test_large(void)
{
    enum { N = 20000 };
    double *a = malloc(N * sizeof(*a));
    double *b = malloc(N * sizeof(*b));
    struct two_samples two;
    uint64_t seed = 5;

    for (size_t i = 0; i < N; i++) {
        a[i] = (double)(unit_random(&seed) % 100000);
        b[i] = (double)(unit_random(&seed) % 100000) + 3000;
    }
    sort_reals(a, N);
    sort_reals(b, N);
    compare_samples(a, N, b, N, 1, &two);
    CHECK(two.low < 3000 && two.high > 3000 && two.high - two.low < 1500 && two.p < 1e-9);
    const double narrow = two.high - two.low;

    compare_samples(a, N, b, N, 4, &two); /* as if of a quarter of the values */
    CHECK(fabs((two.high - two.low) / narrow - 2) < 0.05);
    free(a);
    free(b);
}

static void test_inflation(void)
{
    static const double few[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const double same[] = {3, 3, 3};
    double values[300];
    uint64_t seed = 3;

    for (size_t i = 0; i < COUNT(values); i++) {
        values[i] = (double)(unit_random(&seed) % 1000);
    }
    CHECK(inflation_of(values, COUNT(values), NULL).factor < 1.5);
    CHECK(isinf(inflation_of(few, COUNT(few), NULL).factor)); /* too few to see it */
    CHECK(inflation_of(same, COUNT(same), NULL).factor == 1);
    CHECK(inflation_of(values, 0, NULL).factor == 1 && inflation_of(values, 1, NULL).factor == 1);
    /* Of an autoregression of 0.6 it is (1 + 0.6) / (1 - 0.6) = 4. */
    const struct inflation inflation = inflation_of(set_correlated, COUNT(set_correlated), NULL);

    CHECK(inflation.factor > 4 && inflation.factor < 7);
    CHECK(inflation.correlation > 0.6 && inflation.correlation < 0.75);
    for (size_t i = 0; i < COUNT(values); i++) {
        values[i] = (double)i;
    }
    CHECK(inflation_of(values, COUNT(values), NULL).factor > 100);
    CHECK(fabs(inflation_one_side(3, 0.5) - 4.0 / 9) < 1e-12);
}

/* The interval of the shift: by ranks from 4 and 4 values on, otherwise all differences. */
static void test_groups(void)
{
    static const double a[] = {3, 1, 2};
    static const double b[] = {5, 3, 4, 5, 8};
    static const double equal[] = {30, 30, 30, 30};
    static const double other[] = {33, 33, 33, 33};
    struct two_groups two;

    compare_groups(a, COUNT(a), b, COUNT(b), &two);
    CHECK(two.a == 2 && two.b == 5 && two.samples.shift == 3);
    CHECK(two.low == two.samples.low && two.high == two.samples.high);
    compare_groups(a, COUNT(a), b, 3, &two);
    CHECK(!two.samples.has_interval && two.low == 0 && two.high == 4);
    compare_groups(equal, 4, other, 4, &two);
    CHECK(two.low == 3 && two.high == 3 && two.samples.shift == 3);
    CHECK(near(compare_deviation(a, 3), 1) && isnan(compare_deviation(a, 1)));
}

/* An autoregression of 0.99: the variance of a mean is 199 times that of independent values, and
 * the memory of a hundred values is beyond all lags that summaries look at. */
static void test_long_memory(void)
{
    enum { N = 3000, PAIRS = 200 };
    double *values[2] = {malloc(N * sizeof(double)), malloc(N * sizeof(double))};
    double inflation = 0;
    size_t significant = 0;
    uint64_t seed = 11;

    for (size_t pair = 0; pair < PAIRS; pair++) {
        struct two_samples two;
        double both = 0;

        for (size_t i = 0; i < 2; i++) {
            double value = 0;

            for (size_t k = 0; k < N + 1000; k++) {
                value = 0.99 * value + (double)(unit_random(&seed) % 2001) - 1000;
                values[i][k < 1000 ? 0 : k - 1000] = value;
            }
            both += inflation_of(values[i], N, NULL).factor / 2;
            sort_reals(values[i], N);
        }
        compare_samples(values[0], N, values[1], N, both, &two);
        inflation += both / PAIRS;
        significant += two.p <= 0.05;
    }
    CHECK(inflation > 199 && inflation < 400);
    CHECK(significant <= PAIRS / 10); /* 5 % and what chance and few effective values add */
    free(values[0]);
    free(values[1]);
}

static void test_tails(void)
{
    double a[1200];
    double b[1200];
    struct two_tails tails;
    uint64_t seed = 17;

    for (size_t i = 0; i < COUNT(a); i++) {
        a[i] = (double)(unit_random(&seed) % 1000);
        b[i] = (double)(unit_random(&seed) % 1000) + (i % 40 == 0 ? 5000 : 0);
    }
    sort_reals(a, COUNT(a));
    sort_reals(b, COUNT(b));
    CHECK(!compare_tails(a, 99, b, 1200, 1, &tails));
    CHECK(compare_tails(a, 100, b, 1200, 1, &tails) && tails.q == 0.9);
    CHECK(compare_tails(a, COUNT(a), b, COUNT(b), 1, &tails) && tails.q == 0.99);
    CHECK(tails.a < 1000 && tails.b >= 5000 && tails.b_low > tails.a_high);
    /* All 24 values above are b's: 2 C(1200, 24) / C(2400, 24). */
    double chance = 2;

    for (size_t i = 0; i < 24; i++) {
        chance *= (1200.0 - (double)i) / (2400.0 - (double)i);
    }
    CHECK(fabs(tails.p - chance) < 1e-6 * chance);
    CHECK(compare_tails(a, COUNT(a), a, COUNT(a), 1, &tails) && tails.p == 1);
}

static void test_rates(void)
{
    struct two_rates two;

    for (size_t i = 0; i < COUNT(known_counts); i++) {
        const struct known_counts *known = &known_counts[i];

        compare_rates(known->a, known->a_time, known->b, known->b_time, &two);
        CHECK(near(two.p, known->p));
        CHECK(near(two.low, known->low) && near(two.high, known->high));
    }
    compare_rates(0, 1, 0, 1, &two);
    CHECK(isnan(two.ratio) && two.low == 0 && isinf(two.high) && two.p == 1);
    compare_rates(4, 2, 12, 3, &two);
    CHECK(near(two.ratio, 2));
}

static void test_holm(void)
{
    /* By hand: 0.005 * 4, 0.011 * 3, max(0.033, 0.02 * 2), max(0.04, 0.04 * 1). */
    double p[] = {0.04, 0.005, NAN, 0.02, 0.011};
    double large[] = {0.7, 0.9};

    compare_holm(p, COUNT(p));
    CHECK(near(p[1], 0.02) && near(p[4], 0.033) && near(p[3], 0.04) && near(p[0], 0.04));
    CHECK(isnan(p[2]));
    compare_holm(large, 2);
    CHECK(large[0] == 1 && large[1] == 1);
    compare_holm(large, 0);
}

int main(void)
{
    RUN(test_known_pairs());
    RUN(test_large());
    RUN(test_inflation());
    RUN(test_groups());
    RUN(test_long_memory());
    RUN(test_tails());
    RUN(test_rates());
    RUN(test_holm());
    return unit_finish("unit_compare_statistics");
}
