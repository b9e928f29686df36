/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/stats/change_points.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/plan/draw.h"
#include "tools/base/alloc.h"
#include "tools/stats/distributions.h"
#include "tools/stats/statistics.h"
#include "tools/stats/summary.h"

/* The test ends once this many permutations are as good as the series, because the probability is
 * then known well enough (Besag and Clifford, Biometrika 78, 1991). */
#define EXCEEDING_MAX 3
#define WAYS          2 /* number of searches, one for each enum reach */
/* Relative difference allowed for rounding, because the same distances are summed in different
 * orders. */
#define ROUNDING 1e-9

/* a correlation of n values is significant above this / sqrt(n): one-sided 5 % */
#define CORRELATION_CHANCE 1.645
/* This, also divided by sqrt(n), is added to a significant correlation: one that is estimated too
 * small gives false changes. */
#define CORRELATION_MARGIN 0.5
#define CORRELATION_MAX    0.95

/* Share of alpha that the test for a trend uses. */
#define TREND_SHARE 0.1

#define SEED UINT64_C(0x9e3779b97f4a7c15)

/* ---- the best split ---- */

/* How far the second side of a split reaches. */
enum reach {
    REACH_END,    /* to the end of the series: best for a level that lasts */
    REACH_BEFORE, /* to any value: best for a level that does not last */
};

/* Work memory of one search, allocated once so that permutations allocate nothing. Each array below
 * has one element for each position of a split. */
struct split {
    size_t n;
    double *values;  /* the series, or a permutation of it */
    double *left;    /* sum of the distances of all pairs of values before the split */
    double *right;   /* sum of the distances of all pairs of values after the split */
    double *across;  /* sum of the distances of each value before the split to each after it */
    double *to_left; /* sum of the distances of the newest value to those before the split */
};

static void split_open(struct split *split, const double *values, size_t n)
{
    *split = (struct split){
        .n = n,
        .values = alloc_zeroed((n + 1) * sizeof(double)),
        .left = alloc_zeroed((n + 1) * sizeof(double)),
        .right = alloc_zeroed((n + 1) * sizeof(double)),
        .across = alloc_zeroed((n + 1) * sizeof(double)),
        .to_left = alloc_zeroed((n + 1) * sizeof(double)),
    };
    memcpy(split->values, values, n * sizeof(*values));
}

static void split_close(struct split *split)
{
    free(split->values);
    free(split->left);
    free(split->right);
    free(split->across);
    free(split->to_left);
}

/* Adds values[end - 1], which is on the right of all splits except the last. */
static void extend(struct split *split, size_t end)
{
    const double value = split->values[end - 1];
    double sum = 0;

    for (size_t at = 1; at < end; at++) {
        sum += fabs(split->values[at - 1] - value);
        split->to_left[at] = sum;
    }
    for (size_t at = 1; at < end; at++) {
        split->across[at] += split->to_left[at];
        split->right[at] += sum - split->to_left[at];
    }
    split->left[end] = split->left[end - 1] + sum;
    split->right[end] = split->across[end] = 0;
}

static double pairs(double n)
{
    return n * (n - 1) / 2;
}

/* Returns the divergence of values[0..at) and values[at..end). */
static double divergence_of(const struct split *split, size_t at, size_t end)
{
    const double m = (double)at;
    const double k = (double)(end - at);

    return m * k / (m + k) *
           (2 * split->across[at] / (m * k) - split->left[at] / pairs(m) -
            split->right[at] / pairs(k));
}

/* Finds the best split in O(n^2) steps: each value is compared once with all values before it. */
static double best_split(struct split *split, enum reach reach, size_t *best_at)
{
    double best = 0;

    *best_at = 0;
    split->left[0] = 0;
    for (size_t end = 1; end <= split->n; end++) {
        extend(split, end);
        if (reach == REACH_END && end < split->n) {
            continue;
        }
        for (size_t at = CHANGE_POINTS_SIDE; at + CHANGE_POINTS_SIDE <= end; at++) {
            const double divergence = divergence_of(split, at, end);

            if (divergence > best) {
                best = divergence;
                *best_at = at;
            }
        }
    }
    return best;
}

double change_points_split(const double *values, size_t n, bool to_end, size_t *at)
{
    struct split split;

    split_open(&split, values, n);
    const double divergence = best_split(&split, to_end ? REACH_END : REACH_BEFORE, at);

    split_close(&split);
    return divergence;
}

/* ---- the test ---- */

/* Shuffles the values (Fisher and Yates). Taking the upper half of the product is uniform to 1 part
 * in 2^32. */
static void shuffle(double *values, size_t n, struct draw_random *random)
{
    for (size_t i = n - 1; i > 0; i--) {
        const size_t k = (size_t)(((draw_next(random) >> 32) * (uint64_t)(i + 1)) >> 32);
        const double value = values[i];

        values[i] = values[k];
        values[k] = value;
    }
}

/* Returns the number of permutations at which EXCEEDING_MAX successes, counting the series itself,
 * correspond to a probability of alpha. */
static size_t permutations_for(double alpha)
{
    return (size_t)ceil(EXCEEDING_MAX / alpha) - 1;
}

/* Returns the probability that a random order has at least this divergence. Ends early if it
 * exceeds alpha. */
static double chance_of(struct split *split, enum reach reach, double divergence, double alpha)
{
    const size_t permutations = permutations_for(alpha);
    struct draw_random random = {SEED};
    size_t exceeding = 0;
    size_t at;

    for (size_t i = 1; i <= permutations; i++) {
        shuffle(split->values, split->n, &random);
        exceeding += best_split(split, reach, &at) >= divergence * (1 - ROUNDING);
        if (exceeding == EXCEEDING_MAX) {
            return (double)EXCEEDING_MAX / (double)i;
        }
    }
    return ((double)exceeding + 1) / ((double)permutations + 1);
}

struct search {
    const double *values;
    double alpha;
    double inflation; /* factor by which correlation raises divergences */
    struct change_point *points;
    size_t count;
};

static bool find_by(const struct search *search, size_t begin, size_t end, enum reach reach,
                    struct change_point *point)
{
    const double alpha = search->alpha / WAYS;
    struct split split;
    bool found = false;

    split_open(&split, search->values + begin, end - begin);
    const double divergence = best_split(&split, reach, &point->at);

    if (point->at > 0) {
        const double p = chance_of(&split, reach, divergence / search->inflation, alpha);

        found = p <= alpha;
        point->kind = CHANGE_STEP;
        point->at += begin;
        point->p = WAYS * p;
    }
    split_close(&split);
    return found;
}

/* ---- all change points ---- */

/* Finds the change points of values[begin..end), in order. Each of the two searches uses half of
 * alpha. The depth of the recursion is at most the number of change points. */
static void search_in(struct search *search, size_t begin, size_t end)
{
    struct change_point point;

    if (end - begin >= 2 * CHANGE_POINTS_SIDE &&
        (find_by(search, begin, end, REACH_END, &point) ||
         find_by(search, begin, end, REACH_BEFORE, &point))) {
        search_in(search, begin, point.at);
        search->points[search->count++] = point;
        search_in(search, point.at, end);
    }
}

/* Returns the end of the level before change point `index`, which is the start of the next level.
 */
static size_t level_end(const struct search *search, size_t n, size_t index)
{
    return index < search->count ? search->points[index].at : n;
}

/* Straight lines through parts of the values, by least squares: sums over all lines. */
struct lines {
    double slope;    /* of the last line, per value */
    double squares;  /* squared distances from the line */
    double products; /* products of successive distances from the line */
};

static double squares_of_indices(double n)
{
    return n * (n * n - 1) / 12;
}

static void add_line(struct lines *lines, const double *values, size_t n, bool is_level)
{
    const double mean = statistics_mean(values, n);
    const double middle = ((double)n - 1) / 2;
    double last = 0;

    lines->slope = 0;
    for (size_t i = 0; i < n && !is_level; i++) {
        lines->slope += ((double)i - middle) * (values[i] - mean) / squares_of_indices((double)n);
    }
    for (size_t i = 0; i < n; i++) {
        const double distance = values[i] - mean - lines->slope * ((double)i - middle);

        lines->squares += distance * distance;
        lines->products += distance * last;
        last = distance;
    }
}

static struct lines lines_through_levels(const struct search *search, size_t n)
{
    struct lines lines = {0};

    for (size_t level = 0; level <= search->count; level++) {
        const size_t begin = level > 0 ? search->points[level - 1].at : 0;

        add_line(&lines, search->values + begin, level_end(search, n, level) - begin, true);
    }
    return lines;
}

/* Returns the correlation of successive distances from `count` lines through n values. Each
 * parameter of a line lowers the observed correlation, by about (1 + 3 r) / n for the first and (1
 * + r) / n for the second (Marriott and Pope 1954, Kendall and Stuart), which is corrected here. */
static double correlation_of(const struct lines *lines, double count, double n, bool is_level)
{
    const double seen = lines->squares > 0 ? lines->products / lines->squares : 0;

    return seen + count * (is_level ? 1 + 3 * seen : 2 + 4 * seen) / n;
}

/* Returns the factor by which the correlation r of successive values raises the variance of a mean:
 * (1 + r) / (1 - r), as for an autoregression. r is the smaller one of those of the distances from
 * the levels and from one straight line, because the distances of a ramp from its levels look
 * correlated, and so do those of stairs from a line. Returns 1 if r does not exceed what chance
 * shows once in 20. */
static double inflation_beside(const struct search *search, size_t n)
{
    const struct lines levels = lines_through_levels(search, n);
    const double root = sqrt((double)n);
    struct lines line = {0};

    add_line(&line, search->values, n, false);
    const double r = fmin(correlation_of(&levels, (double)search->count + 1, (double)n, true),
                          correlation_of(&line, 1, (double)n, false));
    const double most = fmin(r + CORRELATION_MARGIN / root, CORRELATION_MAX);

    return r < CORRELATION_CHANCE / root ? 1 : (1 + most) / (1 - most);
}

/* Finds a trend by the t test of a line's slope. One step also raises the newest values above the
 * oldest, but is no trend: a line must explain the values better than the levels by Schwarz's
 * criterion (BIC), or there must be two steps along it. */
static bool find_trend(const struct search *search, size_t n, struct change_point *trend)
{
    const double levels = lines_through_levels(search, n).squares;
    const double freedom = (double)n - 2;
    const size_t end = n / 8 + 1;
    struct lines line = {0};
    size_t along = 0;

    add_line(&line, search->values, n, false);
    const double error = line.squares / freedom / squares_of_indices((double)n) * search->inflation;
    const bool lasts =
        (double)n * log(line.squares / levels) < ((double)search->count - 1) * log((double)n);

    for (size_t i = 0; i < search->count; i++) {
        along += (search->points[i].after > search->points[i].before) == (line.slope > 0);
    }
    *trend = (struct change_point){
        .kind = CHANGE_TREND,
        .at = lasts || search->count == 0 ? n - 1 : search->points[search->count - 1].at,
        .p = distribution_student_two_sided(line.slope / sqrt(error), freedom) / TREND_SHARE,
        .before = summary_quantile(search->values, end, 0.5),
        .after = summary_quantile(search->values + n - end, end, 0.5),
    };
    return trend->p <= search->alpha / (1 - TREND_SHARE) && (lasts || along > 1);
}

/* Searches again with regard to correlation. Only the points that are not found again stay before
 * search->points. Returns their number. */
static size_t search_again(struct search *search, size_t n)
{
    const size_t count = search->count;
    struct change_point *first = search->points;
    size_t dropped = 0;
    size_t k = 0;

    search->points += count;
    search->count = 0;
    search_in(search, 0, n);
    for (size_t i = 0; i < count; i++) {
        while (k < search->count && search->points[k].at < first[i].at) {
            k++;
        }
        if (k == search->count || search->points[k].at > first[i].at) {
            first[dropped] = first[i];
            first[dropped++].kind = CHANGE_DROPPED;
        }
    }
    memmove(first + dropped, search->points, search->count * sizeof(*first));
    search->points = first + dropped;
    return dropped;
}

static void set_levels(const struct search *search, size_t n)
{
    for (size_t i = 0; i < search->count; i++) {
        struct change_point *point = &search->points[i];
        const size_t begin = i > 0 ? point[-1].at : 0;
        const size_t end = level_end(search, n, i + 1);

        point->before = summary_quantile(search->values + begin, point->at - begin, 0.5);
        point->after = summary_quantile(search->values + point->at, end - point->at, 0.5);
    }
}

size_t change_points_find(const double *values, size_t n, double alpha, struct change_point *points)
{
    struct search search = {
        .values = values, .alpha = alpha * (1 - TREND_SHARE), .inflation = 1, .points = points};
    size_t dropped = 0;

    search_in(&search, 0, n);
    set_levels(&search, n);
    search.inflation = inflation_beside(&search, n);
    if (search.count > 0 && search.inflation > 1) {
        dropped = search_again(&search, n);
        set_levels(&search, n);
    }
    return dropped + search.count +
           (n >= 2 * CHANGE_POINTS_SIDE && find_trend(&search, n, &search.points[search.count]));
}

size_t change_points_least(double alpha)
{
    size_t half = CHANGE_POINTS_SIDE;
    double orders = 1; /* binomial: number of ways to choose `half` of 2 * half values */

    for (size_t i = 1; i <= half; i++) {
        orders *= (double)(half + i) / (double)i;
    }
    /* The reversed series has an equally good split, and the estimate of p needs a margin. */
    while (orders * alpha * (1 - TREND_SHARE) / WAYS < EXCEEDING_MAX) {
        half++;
        orders *= (double)(2 * half) * (double)(2 * half - 1) / ((double)half * (double)half);
    }
    return 2 * half;
}
