/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/stats/compare_statistics.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/stats/distributions.h"
#include "tools/stats/statistics.h"
#include "tools/stats/summary.h"

#define TAIL 0.025 /* probability on each side of a 95 % interval */

struct samples {
    const double *a, *b;
    size_t a_count, b_count;
};

/* Moves i and j past the smallest remaining value and all values equal to it. */
static void pass_equals(const struct samples *two, size_t *i, size_t *j)
{
    const bool from_a = *j == two->b_count || (*i < two->a_count && two->a[*i] < two->b[*j]);
    const double value = from_a ? two->a[*i] : two->b[*j];

    while (*i < two->a_count && two->a[*i] == value) {
        (*i)++;
    }
    while (*j < two->b_count && two->b[*j] == value) {
        (*j)++;
    }
}

/* ---- inflation ---- */

/* Adjusts a probability for correlation. One too small for a double becomes the smallest positive
 * double. */
static double inflate(double p, double inflation)
{
    if (inflation <= 1 || p >= 1) {
        return p;
    }
    return distribution_normal_two_sided(distribution_normal_quantile(fmax(p / 2, DBL_MIN)) /
                                         sqrt(inflation));
}

/* ---- all choices of ranks ---- */

/*
 * Returns the distribution of the sum of `take` of the ranks if all choices are equally likely: the
 * probability of each sum from 0 to `sum_max`. Ranks are whole numbers; therefore ties use doubled
 * ranks. The caller frees the result.
 */
static double *rank_sum_chances(const uint32_t *ranks, size_t n, size_t take, size_t sum_max)
{
    const size_t row = sum_max + 1;
    double *ways = alloc_zeroed((take + 1) * row * sizeof(*ways));
    double *chances = alloc_zeroed(row * sizeof(*chances));
    double all = 0;
    size_t reached = 0;

    ways[0] = 1;
    for (size_t i = 0; i < n; i++) {
        reached += ranks[i];
        for (size_t k = i + 1 < take ? i + 1 : take; k > 0; k--) {
            double *to = ways + k * row;
            const double *from = ways + (k - 1) * row;

            for (size_t s = ranks[i]; s <= reached && s <= sum_max; s++) {
                to[s] += from[s - ranks[i]];
            }
        }
    }
    for (size_t s = 0; s < row; s++) {
        all += ways[take * row + s];
    }
    for (size_t s = 0; s < row; s++) {
        chances[s] = ways[take * row + s] / all;
    }
    free(ways);
    return chances;
}

/* Fills in the doubled ranks of both samples together and stores the sum of those of b. */
static void doubled_ranks(const struct samples *two, uint32_t *ranks, size_t *b_sum)
{
    const size_t n = two->a_count + two->b_count;
    size_t i = 0;
    size_t j = 0;

    *b_sum = 0;
    while (i + j < n) {
        const size_t begin = i + j;
        const size_t b_begin = j;

        pass_equals(two, &i, &j);
        for (size_t k = begin; k < i + j; k++) {
            ranks[k] = (uint32_t)(begin + 1 + i + j);
        }
        *b_sum += (j - b_begin) * (begin + 1 + i + j);
    }
}

static double exact_chance(const struct samples *two)
{
    const size_t n = two->a_count + two->b_count;
    uint32_t ranks[COMPARE_EXACT_MAX] = {0};
    size_t b_sum;
    double below = 0;
    double above = 0;

    doubled_ranks(two, ranks, &b_sum);
    double *chances = rank_sum_chances(ranks, n, two->b_count, n * (n + 1));

    for (size_t s = 0; s <= n * (n + 1); s++) {
        below += s <= b_sum ? chances[s] : 0;
        above += s >= b_sum ? chances[s] : 0;
    }
    free(chances);
    return fmin(1, 2 * fmin(below, above));
}

/* Returns the greatest k with P(U < k) <= TAIL, for values without ties. */
static double exact_interval_rank(const struct samples *two)
{
    const size_t n = two->a_count + two->b_count;
    const size_t least = two->b_count * (two->b_count + 1) / 2;
    uint32_t ranks[COMPARE_EXACT_MAX] = {0};
    double below = 0;
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        ranks[i] = (uint32_t)i + 1;
    }
    double *chances = rank_sum_chances(ranks, n, two->b_count, n * (n + 1) / 2);

    while (k <= two->a_count * two->b_count && below + chances[least + k] <= TAIL) {
        below += chances[least + k++];
    }
    free(chances);
    return (double)k;
}

/* ---- Mann and Whitney, Cliff ---- */

/* Returns twice the number of pairs in which b is greater plus the number of equal pairs. Stores in
 * *ties the sum of t^3 - t over groups of t equal values. */
static double count_pairs(const struct samples *two, double *ties)
{
    double pairs = 0;
    size_t i = 0;
    size_t j = 0;

    *ties = 0;
    while (i < two->a_count || j < two->b_count) {
        const size_t a_begin = i;
        const size_t b_begin = j;

        pass_equals(two, &i, &j);
        const double equal = (double)(i - a_begin + j - b_begin);

        pairs += (double)(j - b_begin) * (double)(a_begin + i);
        *ties += equal * equal * equal - equal;
    }
    return pairs;
}

static double normal_chance(double u, double n, double m, double ties)
{
    const double all = n + m;
    const double variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
    const double distance = fabs(u - n * m / 2) - 0.5;

    return variance > 0 && distance > 0 ? distribution_normal_two_sided(distance / sqrt(variance))
                                        : 1;
}

static void mann_whitney(const struct samples *two, double inflation, struct two_samples *result)
{
    const double n = (double)two->a_count;
    const double m = (double)two->b_count;
    double ties;

    result->u = count_pairs(two, &ties) / 2;
    result->delta = 2 * result->u / (n * m) - 1;
    result->p = two->a_count + two->b_count <= COMPARE_EXACT_MAX
                    ? exact_chance(two)
                    : normal_chance(result->u, n, m, ties);
    result->p = inflate(result->p, inflation);
}

/* ---- Hodges and Lehmann ---- */

/* Maps a double to an integer so that the order is kept. */
static int64_t order_of(double value)
{
    int64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits < 0 ? INT64_MIN - bits : bits;
}

static double value_of(int64_t order)
{
    const int64_t bits = order < 0 ? INT64_MIN - order : order;
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Returns the number of pairs whose difference b - a is at most `value`. As a rises, more of b
 * qualifies. */
static uint64_t differences_upto(const struct samples *two, double value)
{
    uint64_t count = 0;
    size_t j = 0;

    for (size_t i = 0; i < two->a_count; i++) {
        while (j < two->b_count && two->b[j] - two->a[i] <= value) {
            j++;
        }
        count += j;
    }
    return count;
}

/* Returns the difference of this rank, counted from 1. */
static double difference_at(const struct samples *two, uint64_t rank)
{
    int64_t low = order_of(two->b[0] - two->a[two->a_count - 1]);
    int64_t high = order_of(two->b[two->b_count - 1] - two->a[0]);

    while (low < high) {
        const int64_t middle = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);

        if (differences_upto(two, value_of(middle)) >= rank) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return value_of(low);
}

/* Returns the smallest difference greater than `value`, which must exist. */
static double difference_after(const struct samples *two, double value)
{
    double least = INFINITY;
    size_t j = 0;

    for (size_t i = 0; i < two->a_count; i++) {
        while (j < two->b_count && two->b[j] - two->a[i] <= value) {
            j++;
        }
        least = j < two->b_count ? fmin(least, two->b[j] - two->a[i]) : least;
    }
    return least;
}

/* Returns the median difference: half way between the two middle ones if their number is even. */
static double middle_difference(const struct samples *two, uint64_t pairs)
{
    const double middle = difference_at(two, (pairs + 1) / 2);

    if (pairs % 2 != 0 || differences_upto(two, middle) > pairs / 2) {
        return middle;
    }
    return middle + (difference_after(two, middle) - middle) / 2;
}

static void hodges_lehmann(const struct samples *two, double inflation, struct two_samples *result)
{
    const double n = (double)two->a_count;
    const double m = (double)two->b_count;
    const uint64_t pairs = (uint64_t)two->a_count * two->b_count;
    const double away = two->a_count + two->b_count <= COMPARE_EXACT_MAX
                            ? n * m / 2 - exact_interval_rank(two)
                            : -distribution_normal_quantile(TAIL) * sqrt(n * m * (n + m + 1) / 12);
    const double rank = floor(n * m / 2 - away * sqrt(inflation));

    result->shift = middle_difference(two, pairs);
    result->has_interval = rank >= 1;
    if (result->has_interval) {
        result->low = difference_at(two, (uint64_t)rank);
        result->high = difference_at(two, pairs + 1 - (uint64_t)rank);
    }
}

/* ---- Kolmogorov and Smirnov ---- */

static double greatest_distance(const struct samples *two)
{
    double greatest = 0;
    size_t i = 0;
    size_t j = 0;

    while (i < two->a_count && j < two->b_count) {
        pass_equals(two, &i, &j);
        greatest = fmax(greatest,
                        fabs((double)i / (double)two->a_count - (double)j / (double)two->b_count));
    }
    return greatest;
}

void compare_samples(const double *a, size_t a_count, const double *b, size_t b_count,
                     double inflation, struct two_samples *two)
{
    const struct samples samples = {a, b, a_count, b_count};
    const double effective =
        (double)a_count * (double)b_count / (double)(a_count + b_count) / inflation;

    *two = (struct two_samples){.low = NAN, .high = NAN};
    mann_whitney(&samples, inflation, two);
    hodges_lehmann(&samples, inflation, two);
    two->ks = greatest_distance(&samples);
    two->ks_p = distribution_kolmogorov(sqrt(effective) * two->ks);
}

/* ---- tails ---- */

static size_t count_above(const double *sorted, size_t n, double value)
{
    return n - SEARCH_COUNT(i, n, sorted[i] <= value);
}

/* Returns the nearest-rank quantile of both samples together. */
static double quantile_of_both(const struct samples *two, double q)
{
    const size_t n = two->a_count + two->b_count;
    double *both = alloc_zeroed(n * sizeof(*both));

    memcpy(both, two->a, two->a_count * sizeof(*both));
    memcpy(both + two->a_count, two->b, two->b_count * sizeof(*both));
    sort_reals(both, n);
    const double value = summary_quantile_of(both, n, q);

    free(both);
    return value;
}

static double log_choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* Returns twice the smaller of two probabilities: that at most `hits`, or at least `hits`, of
 * `above` values belong to the m, if the values are chosen at random from n + m values and each
 * choice is equally likely. */
static double hypergeometric_chance(double n, double m, double above, double hits)
{
    const double least = fmax(0, above - n);
    const double most = fmin(above, m);
    double below = 0;
    double beyond = 0;

    for (size_t k = (size_t)least; (double)k <= most; k++) {
        const double chance = exp(log_choose(m, (double)k) + log_choose(n, above - (double)k) -
                                  log_choose(n + m, above));

        below += (double)k <= hits ? chance : 0;
        beyond += (double)k >= hits ? chance : 0;
    }
    return fmin(1, 2 * fmin(below, beyond));
}

static void set_tail(const double *sorted, size_t n, double q, double inflation, double *value,
                     double *low, double *high)
{
    size_t low_rank;
    size_t high_rank;

    *value = summary_quantile_of(sorted, n, q);
    *low = *high = NAN;
    if (summary_widened_ranks(n, q, inflation, &low_rank, &high_rank)) {
        *low = sorted[low_rank - 1];
        *high = sorted[high_rank - 1];
    }
}

bool compare_tails(const double *a, size_t a_count, const double *b, size_t b_count,
                   double inflation, struct two_tails *tails)
{
    const struct samples two = {a, b, a_count, b_count};
    const size_t fewer = a_count < b_count ? a_count : b_count;

    if (fewer < (size_t)10 * STATISTICS_ABOVE_MIN) {
        return false;
    }
    *tails = (struct two_tails){.q = fewer >= (size_t)100 * STATISTICS_ABOVE_MIN ? 0.99 : 0.9};
    set_tail(a, a_count, tails->q, inflation, &tails->a, &tails->a_low, &tails->a_high);
    set_tail(b, b_count, tails->q, inflation, &tails->b, &tails->b_low, &tails->b_high);
    const double value = quantile_of_both(&two, tails->q);
    const double hits = (double)count_above(b, b_count, value);
    const double above = (double)count_above(a, a_count, value) + hits;

    tails->p =
        inflate(hypergeometric_chance((double)a_count, (double)b_count, above, hits), inflation);
    return true;
}

/* ---- rates ---- */

/* Returns the probability p of a trial for which P(B <= k) of n trials equals `below`. P falls as p
 * rises. */
static double chance_with(double n, double k, double below)
{
    double low = 0;
    double high = 1;

    for (;;) {
        const double middle = low + (high - low) / 2;

        if (middle <= low || middle >= high) {
            return middle;
        }
        if (distribution_binomial(n, middle, k) > below) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

void compare_rates(uint64_t a, double a_time, uint64_t b, double b_time, struct two_rates *two)
{
    const double n = (double)a + (double)b;
    const double k = (double)b;
    const double share = b_time / (a_time + b_time);

    *two = (struct two_rates){.ratio = NAN, .low = 0, .high = INFINITY, .p = 1};
    if (n == 0) {
        return;
    }
    const double upto = distribution_binomial(n, share, k);
    const double from = 1 - distribution_binomial(n, share, k - 1);

    two->p = fmin(1, 2 * fmin(upto, from));
    two->ratio = a > 0 ? k / b_time / ((double)a / a_time) : INFINITY;
    if (b > 0) {
        const double low = chance_with(n, k - 1, 1 - TAIL);

        two->low = low / (1 - low) * a_time / b_time;
    }
    if (a > 0) {
        const double high = chance_with(n, k, TAIL);

        two->high = high / (1 - high) * a_time / b_time;
    }
}

/* ---- groups ---- */

double compare_deviation(const double *values, size_t n)
{
    if (n < 2) {
        return NAN;
    }
    return sqrt(statistics_covariation(values, n, statistics_mean(values, n), 0) / (double)(n - 1));
}

void compare_groups(const double *a, size_t a_count, const double *b, size_t b_count,
                    struct two_groups *two)
{
    double *left = sort_copy(a, a_count);
    double *right = sort_copy(b, b_count);

    *two = (struct two_groups){.a = statistics_mean(a, a_count), .b = statistics_mean(b, b_count)};
    compare_samples(left, a_count, right, b_count, 1, &two->samples);
    two->low = two->samples.has_interval ? two->samples.low : right[0] - left[a_count - 1];
    two->high = two->samples.has_interval ? two->samples.high : right[b_count - 1] - left[0];
    free(left);
    free(right);
}

/* ---- Holm ---- */

void compare_holm(double *p, size_t n)
{
    struct sort_placed *order = alloc_zeroed((n + 1) * sizeof(*order));
    size_t count = 0;
    double least = 0;

    for (size_t i = 0; i < n; i++) {
        if (!isnan(p[i])) {
            order[count++] = (struct sort_placed){p[i], i};
        }
    }
    sort_placed(order, count);
    for (size_t i = 0; i < count; i++) {
        least = fmax(least, fmin(1, order[i].value * (double)(count - i)));
        p[order[i].index] = least;
    }
    free(order);
}
