/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/stats/permutation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/plan/draw.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/stats/distributions.h"

#define ROUNDING  1e-9 /* of two equal statistics, computed in different order */
#define SEED      UINT64_C(0x9e3779b97f4a7c15)
#define POWER     0.8
#define BOOTS_MAX 1000

/* Takes each boot with the probability that the number still needed has among the boots left. */
void permutation_draw(uint64_t *seed, bool *is_b, size_t n, size_t b_count)
{
    struct draw_random random = {*seed};

    for (size_t i = 0; i < n; i++) {
        const uint64_t below = ((draw_next(&random) >> 32) * (uint64_t)(n - i)) >> 32;

        is_b[i] = below < b_count;
        b_count -= is_b[i];
    }
    *seed = random.state;
}

/* Returns the number of splits, which for many boots is only approximate. */
static double splits_of(size_t a_count, size_t b_count)
{
    double splits = 1;

    for (size_t i = 1; i <= b_count; i++) {
        splits = splits * (double)(a_count + i) / (double)i;
    }
    return round(splits);
}

/* Groups of equal size can change places: then two splits have the same difference. */
double permutation_least(size_t a_count, size_t b_count)
{
    const double splits = splits_of(a_count, b_count);

    return splits > PERMUTATION_SPLITS_MAX ? 1.0 / (PERMUTATION_DRAWN + 1)
                                           : (a_count == b_count ? 2 : 1) / splits;
}

/* ---- the test ---- */

/* Values of the metrics boot by boot, each metric with mean 0 and sum of squares 1. Then the sum
 * over the boots of one group shows how far apart the groups are: its square is proportional to
 * R^2, by the same factor for all metrics and splits. */
struct scaled {
    size_t boots, metrics;
    double *values;
    double *sums; /* sum of each metric over group b of a split */
    double *actual;
};

static void scale_metric(struct scaled *scaled, size_t column, const double *values)
{
    const size_t step = scaled->metrics;
    double mean = 0; /* of what is scaled, as values may be much farther from 0 than apart */
    double count = 0;
    double squares = 0;
    double low = INFINITY;
    double high = -INFINITY;

    for (size_t i = 0; i < scaled->boots; i++) {
        low = fmin(low, values[i * step]);
        high = fmax(high, values[i * step]);
    }
    for (size_t i = 0; i < scaled->boots; i++) {
        double *value = &scaled->values[i * step + column];

        *value = (values[i * step] - low) / (high - low); /* NAN if none differs from another */
        mean += isnan(*value) ? 0 : (*value - mean) / ++count;
    }
    for (size_t i = 0; i < scaled->boots; i++) {
        double *value = &scaled->values[i * step + column];

        *value = isnan(*value) ? 0 : *value - mean;
        squares += *value * *value;
    }
    for (size_t i = 0; i < scaled->boots && squares > 0; i++) {
        scaled->values[i * step + column] /= sqrt(squares);
    }
}

static void sum_split(const struct scaled *scaled, const bool *is_b)
{
    memset(scaled->sums, 0, scaled->metrics * sizeof(*scaled->sums));
    for (size_t i = 0; i < scaled->boots; i++) {
        for (size_t k = 0; is_b[i] && k < scaled->metrics; k++) {
            scaled->sums[k] += scaled->values[i * scaled->metrics + k];
        }
    }
}

/* Counts the metrics, in falling order of their actual sums, whose sum, or that of any metric from
 * it on, is at least the actual one. */
static void count_split(const struct scaled *scaled, const bool *is_b,
                        struct permutation_chance *chances)
{
    double greatest = 0;

    sum_split(scaled, is_b);
    for (size_t k = scaled->metrics; k-- > 0;) {
        const double sum = fabs(scaled->sums[k]);

        greatest = sum > greatest ? sum : greatest;
        chances[k].p += sum >= scaled->actual[k];
        chances[k].corrected += greatest >= scaled->actual[k];
    }
}

/* Moves to the next split with as many boots in b. Returns false after the last one, that with b
 * first. */
static bool next_split(bool *is_b, size_t n)
{
    size_t moved = 0;
    size_t i = 0;

    for (; i + 1 < n && (is_b[i] || !is_b[i + 1]); i++) {
        moved += is_b[i];
    }
    if (i + 1 >= n) {
        return false;
    }
    is_b[i] = true;
    is_b[i + 1] = false;
    for (size_t k = 0; k < i; k++) {
        is_b[k] = k + moved >= i;
    }
    return true;
}

/* Counts over all splits, or over random ones; returns how many. */
static double count_splits(const struct scaled *scaled, size_t b_count, bool *is_b,
                           struct permutation_chance *chances)
{
    const double splits = splits_of(scaled->boots - b_count, b_count);
    uint64_t seed = SEED;

    count_split(scaled, is_b, chances); /* the actual one, which has b last */
    if (splits <= PERMUTATION_SPLITS_MAX) {
        while (next_split(is_b, scaled->boots)) {
            count_split(scaled, is_b, chances);
        }
        return splits;
    }
    for (size_t i = 0; i < PERMUTATION_DRAWN; i++) {
        permutation_draw(&seed, is_b, scaled->boots, b_count);
        count_split(scaled, is_b, chances);
    }
    return PERMUTATION_DRAWN + 1;
}

/* Scales the metrics in the order of `order`, and sums group b of the actual split. */
static void scale(struct scaled *scaled, const double *values, const bool *is_b,
                  const struct sort_placed *order)
{
    for (size_t k = 0; k < scaled->metrics; k++) {
        scale_metric(scaled, k, values + order[k].index);
    }
    sum_split(scaled, is_b);
    for (size_t k = 0; k < scaled->metrics; k++) {
        scaled->actual[k] = fabs(scaled->sums[k]) * (1 - ROUNDING);
    }
}

void permutation_test(const double *values, size_t metrics, size_t a_count, size_t b_count,
                      struct permutation_chance *chances)
{
    const size_t boots = a_count + b_count;
    struct scaled scaled = {
        .boots = boots,
        .metrics = metrics,
        .values = alloc_zeroed((boots * metrics + 1) * sizeof(double)),
        .sums = alloc_zeroed((metrics + 1) * sizeof(double)),
        .actual = alloc_zeroed((metrics + 1) * sizeof(double)),
    };
    struct sort_placed *order = alloc_zeroed((metrics + 1) * sizeof(*order));
    struct permutation_chance *sorted = alloc_zeroed((metrics + 1) * sizeof(*sorted));
    bool *is_b = alloc_zeroed(boots * sizeof(*is_b));
    double largest = 0;

    memset(is_b + a_count, true, b_count * sizeof(*is_b));
    for (size_t k = 0; k < metrics; k++) {
        order[k].index = k;
    }
    scale(&scaled, values, is_b, order);
    for (size_t k = 0; k < metrics; k++) {
        order[k].value = -scaled.actual[k];
    }
    sort_placed(order, metrics);
    scale(&scaled, values, is_b, order);
    const double splits = count_splits(&scaled, b_count, is_b, sorted);

    for (size_t k = 0; k < metrics; k++) {
        largest = fmax(largest, sorted[k].corrected / splits);
        chances[order[k].index] = (struct permutation_chance){sorted[k].p / splits, largest};
    }
    free(scaled.values);
    free(scaled.sums);
    free(scaled.actual);
    free(order);
    free(sorted);
    free(is_b);
}

/* ---- planning ---- */

/* Uses Student's distribution for both quantiles: an approximation that is slightly too large for
 * few boots. The correction for several metrics is Bonferroni's. */
double permutation_detectable(size_t n, size_t metrics, double alpha)
{
    const double freedom = 2 * (double)n - 2;

    return n < 2 || permutation_least(n, n) > alpha
               ? INFINITY
               : (distribution_student_quantile(1 - alpha / 2 / (double)metrics, freedom) +
                  distribution_student_quantile(POWER, freedom)) *
                     sqrt(2 / (double)n);
}

size_t permutation_boots_needed(size_t metrics, double alpha)
{
    for (size_t n = 2; n <= BOOTS_MAX; n++) {
        if (permutation_detectable(n, metrics, alpha) <= PERMUTATION_CLEAR) {
            return n;
        }
    }
    return 0;
}
