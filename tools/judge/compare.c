/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/compare.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"
#include "tools/present/exit_profile.h"
#include "tools/run/run_kind.h"
#include "tools/stats/statistics.h"
#include "tools/stats/summary.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CONSTANT_MIN 6  /* fewest values whose median has an interval */
#define BLOCKS       10 /* of the parts of a boot */
#define BLANKS       " \t\r\n"

static const char too_few[] = "too few values";
static const char no_events[] = "no event in either run: only bounds of both rates are known";
static const char near_threshold[] = "the interval crosses the threshold";
static const char not_beyond_chance[] = "not beyond chance";
static const char one_boot[] = "one boot on each side: the variation between boots is unknown";
static const char one_boot_tail[] =
    "tail, from one boot on each side: the variation between boots is unknown";
static const char few_boots[] = "too few boots: chance alone can separate so few";
static const char few_boots_tail[] = "tail, from too few boots: chance alone can separate so few";
static const char no_order[] = "the machine may have drifted: its boots were not in random order";

const char *const compare_verdict_names[COMPARE_VERDICTS] = {"worse",   "better",  "changed",
                                                             "differs", "unclear", "same"};

const struct compare_row *compare_find(const struct compare *compare, const char *name)
{
    for (size_t i = 0; i < compare->count; i++) {
        if (strcmp(compare->item[i].name, name) == 0) {
            return &compare->item[i];
        }
    }
    return NULL;
}

bool compare_is_sampled(const struct compare_row *row)
{
    return !row->exact && !row->is_rate && !row->is_share;
}

bool compare_is_wanted(const char *pattern, const char *name)
{
    return pattern == NULL || strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0;
}

/* ---- rows ---- */

/* A metric in both groups. */
struct pair {
    const struct metric *like; /* metric of the first boot that has it */
    struct boot_group a, b;
    const struct boot_scale *scale;
    bool boots_vary;
};

static const struct metric *first_of(struct boot_group group, const struct metric *like)
{
    const struct metric *metric = NULL;

    for (size_t i = 0; i < group.count && metric == NULL; i++) {
        metric = boot_metric(group.runs[i], like);
    }
    return metric;
}

static struct compare_row *add_row(struct compare *compare, const struct pair *pair,
                                   const char *suffix)
{
    struct compare_row *row = ALLOC_NEXT(compare->item, compare->count, compare->capacity);

    *row = (struct compare_row){
        .name = text_format("%s%s", pair->like->name, suffix),
        .a = first_of(pair->a, pair->like),
        .b = first_of(pair->b, pair->like),
        .unit = strcmp(pair->like->unit, UNIT_TICK) == 0 ? pair->scale->unit : pair->like->unit,
        .inflation = 1,
        .test_p = NAN,
        .p = NAN,
        .tail_p = NAN,
        .difference = NAN,
        .difference_low = NAN,
        .difference_high = NAN,
        .shift = NAN,
        .low = NAN,
        .high = NAN,
    };
    return row;
}

/* Returns one statistic of each boot, in the order of the boots of both groups; NAN: missing. The
 * caller frees it. */
static double *column_of(const struct pair *pair, const double *a, const size_t *a_index,
                         size_t a_count, const double *b, const size_t *b_index, size_t b_count)
{
    const size_t boots = pair->a.count + pair->b.count;
    double *column = alloc_zeroed(boots * sizeof(*column));

    for (size_t i = 0; i < boots; i++) {
        column[i] = NAN;
    }
    for (size_t i = 0; i < a_count; i++) {
        column[a_index[i]] = a[i];
    }
    for (size_t i = 0; i < b_count; i++) {
        column[pair->a.count + b_index[i]] = b[i];
    }
    return column;
}

static double relative(double difference, double of)
{
    if (of == 0 && difference != 0 && !isnan(difference)) {
        return difference > 0 ? INFINITY : -INFINITY;
    }
    return difference == 0 ? 0 : difference / fabs(of);
}

static bool are_equal(const struct compare_row *row)
{
    bool equal = row->a_count == row->b_count;

    for (size_t i = 0; i < row->a_count && equal; i++) {
        equal = row->a_values[i] == row->b_values[i];
    }
    return equal;
}

static bool is_constant(const double *sorted, size_t n)
{
    return sorted[0] == sorted[n - 1];
}

/* Values that never vary need no test of chance: in exact time always, in real time if there are
 * enough of them, and, for groups, if both are equal: chance may give each boot of a group the same
 * value. Equal values of both runs need none in exact time; in real time they are a coincidence, or
 * the same run under two names. */
static bool is_exact(const struct compare_row *row, bool exact_time, bool of_groups)
{
    if (exact_time && are_equal(row)) {
        return true;
    }
    return is_constant(row->a_values, row->a_count) && is_constant(row->b_values, row->b_count) &&
           (exact_time || (row->a_count >= CONSTANT_MIN && row->b_count >= CONSTANT_MIN &&
                           (!of_groups || row->a_values[0] == row->b_values[0])));
}

/* Stores a difference and its interval, in the unit and relative to `of`. */
static void set_shift(struct compare_row *row, double difference, double low, double high,
                      double of)
{
    row->has_interval = !isnan(low);
    row->difference = difference;
    row->difference_low = low;
    row->difference_high = high;
    row->shift = relative(difference, of);
    row->low = relative(low, of);
    row->high = relative(high, of);
}

static void set_exact(struct compare_row *row)
{
    const double difference = row->b_median - row->a_median;

    row->exact = true;
    set_shift(row, difference, difference, difference, row->a_median);
}

/* ---- test by the values of one boot on each side ---- */

/* Tests the values. The medians are values that occurred; the shift is that of all pairs. */
static void test_values(struct compare_row *row, const struct boot *a, const struct boot *b)
{
    const double n = (double)row->a_count;
    const double m = (double)row->b_count;

    /* Inflation for the difference of two means: each sample contributes its part of the variance.
     */
    row->inflation = (inflation_of(a->taken, a->n, NULL).factor * m +
                      inflation_of(b->taken, b->n, NULL).factor * n) /
                     (n + m);
    compare_samples(row->a_values, row->a_count, row->b_values, row->b_count, row->inflation,
                    &row->samples);
    row->test_p = row->p = row->samples.p;
    const bool known = row->samples.has_interval;

    set_shift(row, row->samples.shift, known ? row->samples.low : NAN,
              known ? row->samples.high : NAN, row->a_median);
    row->has_tails =
        row->a->better == METRIC_LESS && compare_tails(row->a_values, row->a_count, row->b_values,
                                                       row->b_count, row->inflation, &row->tails);
    row->tail_p = row->has_tails ? row->tails.p : NAN;
}

/* ---- test by one statistic of each boot ---- */

static void test_medians(struct compare_row *row, const struct pair *pair, const struct boots *a,
                         const struct boots *b)
{
    compare_groups(row->a_medians, a->count, row->b_medians, b->count, &row->groups);
    row->by_boots = true;
    row->inflation = NAN;
    row->middles =
        column_of(pair, row->a_medians, a->index, a->count, row->b_medians, b->index, b->count);
    row->samples = row->groups.samples;
    row->a_median = row->groups.a;
    row->b_median = row->groups.b;
    set_shift(row, row->samples.shift, row->groups.low, row->groups.high, row->groups.a);
    row->has_interval = true;
}

static void test_quantiles(struct compare_row *row, const struct pair *pair, const struct boots *a,
                           const struct boots *b)
{
    const size_t fewest = boots_fewest(a) < boots_fewest(b) ? boots_fewest(a) : boots_fewest(b);

    if (row->a->better != METRIC_LESS || fewest < (size_t)10 * STATISTICS_ABOVE_MIN) {
        return;
    }
    const double q = fewest >= (size_t)100 * STATISTICS_ABOVE_MIN ? 0.99 : 0.9;
    double *left = boots_quantiles(a, q);
    double *right = boots_quantiles(b, q);

    compare_groups(left, a->count, right, b->count, &row->tail_groups);
    row->upper = column_of(pair, left, a->index, a->count, right, b->index, b->count);
    free(left);
    free(right);
    row->has_tails = true;
    row->tails = (struct two_tails){
        .q = q,
        .a = row->tail_groups.a,
        .b = row->tail_groups.b,
        .a_low = NAN,
        .a_high = NAN,
        .b_low = NAN,
        .b_high = NAN,
        .p = NAN,
    };
}

/* ---- metrics ---- */

static bool are_groups(const struct boots *a, const struct boots *b)
{
    return a->count > 1 || b->count > 1;
}

/* Keeps only the first boot. One is enough if equal boots are equal to the tick. */
static void keep_first(struct boots *boots)
{
    for (; boots->count > 1; boots->count--) {
        free(boots->item[boots->count - 1].sorted);
    }
}

static void test_boots(struct compare_row *row, const struct pair *pair, struct boots *a,
                       struct boots *b)
{
    if (!pair->boots_vary && boots_are_equal(a) && boots_are_equal(b)) {
        keep_first(a);
        keep_first(b);
    }
    row->a_values = boots_pool(a, &row->a_count);
    row->b_values = boots_pool(b, &row->b_count);
    row->a_median = a->item[0].median;
    row->b_median = b->item[0].median;
    if (is_exact(row, pair->scale->exact, are_groups(a, b))) {
        set_exact(row);
    } else if (are_groups(a, b)) {
        test_medians(row, pair, a, b);
        test_quantiles(row, pair, a, b);
    } else {
        test_values(row, &a->item[0], &b->item[0]);
    }
}

/* Stores the means of blocks of successive parts, of which a boot has `n`, BLOCKS or more. */
static void block_means(const double *parts, size_t n, double means[BLOCKS])
{
    for (size_t i = 0; i < BLOCKS; i++) {
        const size_t begin = i * n / BLOCKS;

        means[i] = statistics_mean(parts + begin, (i + 1) * n / BLOCKS - begin);
    }
}

/* Tests one boot on each side by the means of blocks of its parts: most parts of a quiet run are 0,
 * and successive ones may be correlated. */
static void test_parts(struct compare_row *row, const struct boot *a, const struct boot *b,
                       double difference)
{
    double left[BLOCKS];
    double right[BLOCKS];
    struct two_groups two = {.low = NAN, .high = NAN, .samples.p = NAN};

    if (a->n >= BLOCKS && b->n >= BLOCKS) {
        block_means(a->taken, a->n, left);
        block_means(b->taken, b->n, right);
        compare_groups(left, BLOCKS, right, BLOCKS, &two);
    }
    row->test_p = row->p = two.samples.p;
    set_shift(row, difference, difference + (two.low - two.samples.shift),
              difference + (two.high - two.samples.shift), row->a_median);
}

/* Tests shares of time: by the shares of the boots, or with one boot on each side by its parts; in
 * exact time without a test. */
static void test_shares(struct compare_row *row, const struct pair *pair, const struct boots *a,
                        const struct boots *b)
{
    row->is_share = true;
    row->a_values = boots_pool(a, &row->a_count);
    row->b_values = boots_pool(b, &row->b_count);
    compare_groups(row->a_medians, a->count, row->b_medians, b->count, &row->groups);
    const double difference = row->groups.samples.shift;

    row->a_median = row->groups.a;
    row->b_median = row->groups.b;
    row->exact = pair->scale->exact && boots_are_equal(a) && boots_are_equal(b);
    if (row->exact) {
        set_shift(row, difference, difference, difference, row->a_median);
    } else if (are_groups(a, b)) {
        row->by_boots = true;
        row->inflation = NAN;
        row->middles =
            column_of(pair, row->a_medians, a->index, a->count, row->b_medians, b->index, b->count);
        set_shift(row, difference, row->groups.low, row->groups.high, row->a_median);
    } else {
        test_parts(row, &a->item[0], &b->item[0], difference);
    }
}

static void add_values(struct compare *compare, const struct pair *pair, enum boot_values which,
                       const char *suffix)
{
    struct boots a;
    struct boots b;

    boots_of(pair->a, pair->like, which, pair->scale, &a);
    boots_of(pair->b, pair->like, which, pair->scale, &b);
    if (a.count > 0 && b.count > 0) {
        struct compare_row *row = add_row(compare, pair, suffix);

        row->a_boots = a.count;
        row->b_boots = b.count;
        row->a_medians = boots_medians(&a);
        row->b_medians = boots_medians(&b);
        if (pair->like->is_share) {
            test_shares(row, pair, &a, &b);
        } else {
            test_boots(row, pair, &a, &b);
        }
    }
    boots_free(&a);
    boots_free(&b);
}

/* A Poisson distribution is the least variation of rates; boots may vary more. */
static void test_rates(struct compare_row *row, const struct pair *pair, const struct boot_rates *a,
                       const struct boot_rates *b)
{
    compare_rates(a->events, a->time, b->events, b->time, &row->rates);
    row->test_p = row->p = row->rates.p;
    row->difference = row->b_median - row->a_median;
    if (row->a_median > 0) {
        row->difference_low = (row->rates.low - 1) * row->a_median;
        row->difference_high = (row->rates.high - 1) * row->a_median;
    }
    row->shift = row->rates.ratio - 1;
    row->low = row->rates.low - 1;
    row->high = row->rates.high - 1;
    row->has_interval = true;
    if (a->boots < 2 && b->boots < 2) {
        return;
    }
    compare_groups(a->rate, a->boots, b->rate, b->boots, &row->groups);
    row->by_boots = true;
    row->middles = column_of(pair, a->rate, a->index, a->boots, b->rate, b->index, b->boots);
    row->difference_low = fmin(row->difference_low, row->groups.low);
    row->difference_high = fmax(row->difference_high, row->groups.high);
    row->low = fmin(row->low, relative(row->groups.low, row->groups.a));
    row->high = fmax(row->high, relative(row->groups.high, row->groups.a));
}

/* Returns the lengths of the events of all boots of a group, sorted. */
static double *lengths_of(struct boot_group group, const struct pair *pair, size_t *count)
{
    struct boots boots;

    boots_of(group, pair->like, BOOT_WARM, pair->scale, &boots);
    double *lengths = boots_pool(&boots, count);

    boots_free(&boots);
    return lengths;
}

static void add_rates(struct compare *compare, const struct pair *pair)
{
    struct boot_rates a;
    struct boot_rates b;

    boot_rates_of(pair->a, pair->like, pair->scale, &a);
    boot_rates_of(pair->b, pair->like, pair->scale, &b);
    if (a.boots > 0 && b.boots > 0) {
        struct compare_row *row = add_row(compare, pair, " rate");

        row->is_rate = true;
        row->a_values = lengths_of(pair->a, pair, &row->a_lengths);
        row->b_values = lengths_of(pair->b, pair, &row->b_lengths);
        row->unit = a.unit;
        row->a_boots = a.boots;
        row->b_boots = b.boots;
        row->a_count = a.events;
        row->b_count = b.events;
        row->a_median = (double)a.events / a.time;
        row->b_median = (double)b.events / b.time;
        if (pair->scale->exact && boot_rates_are_equal(&a) && boot_rates_are_equal(&b)) {
            set_exact(row);
        } else if (a.events > 0 || b.events > 0) {
            test_rates(row, pair, &a, &b);
        } /* otherwise both rates are only bounds */
    }
    boot_rates_free(&a);
    boot_rates_free(&b);
}

/* ---- verdicts ---- */

static enum compare_verdict direction(const struct compare_row *row, bool greater)
{
    if (row->a->better == METRIC_NEITHER) {
        return COMPARE_CHANGED;
    }
    return greater == (row->a->better == METRIC_LESS) ? COMPARE_WORSE : COMPARE_BETTER;
}

/* Are there too few boots for any probability up to alpha? */
static bool has_few_boots(const struct compare_row *row, const struct compare_settings *settings)
{
    return row->by_boots && permutation_least(row->a_boots, row->b_boots) > settings->alpha;
}

/* Returns the threshold of a row whose value in a is `a`: a fraction of `a`, of shares in ppm. */
static double threshold_of(const struct compare_row *row, double a,
                           const struct compare_settings *settings)
{
    if (row->is_share) {
        return settings->stolen;
    }
    return settings->by_instructions && a > 0 && strcmp(row->unit, "instructions") == 0
               ? settings->instructions / a
               : settings->threshold;
}

/* Judges by the median or by rates. */
static void judge_middle(struct compare_row *row, const struct compare_settings *settings)
{
    const double threshold = threshold_of(row, row->a_median, settings);
    const double low = row->is_share ? row->difference_low : row->low;
    const double high = row->is_share ? row->difference_high : row->high;
    const bool beyond = row->has_interval && (low > threshold || high < -threshold);
    const bool within = row->has_interval && low >= -threshold && high <= threshold;
    const bool significant = row->exact || row->p <= settings->alpha;

    if (beyond && significant) {
        row->verdict = direction(row, low > 0);
    } else if (within) {
        row->verdict = COMPARE_SAME;
    } else if (beyond && has_few_boots(row, settings)) {
        row->verdict = COMPARE_DIFFERS;
        row->why = few_boots;
    } else {
        row->verdict = COMPARE_UNCLEAR;
        row->why = row->is_rate && isnan(row->p) ? no_events
                   : !row->has_interval          ? too_few
                   : significant                 ? near_threshold
                                                 : not_beyond_chance;
    }
}

/* Judges the tail, unless the median is worse or differs anyway. A worse tail outweighs a better
 * median; a better tail counts less than a median that is not known to be the same. */
static void judge_tail(struct compare_row *row, const struct compare_settings *settings)
{
    const struct two_tails *tails = &row->tails;
    const bool significant = row->tail_p <= settings->alpha;
    /* Bounds of the difference of the quantiles; NAN: unknown. */
    const double least = row->by_boots ? row->tail_groups.low : tails->b_low - tails->a_high;
    const double most = row->by_boots ? row->tail_groups.high : tails->b_high - tails->a_low;

    if (!row->has_tails || (!significant && !has_few_boots(row, settings)) ||
        row->verdict == COMPARE_WORSE || row->verdict == COMPARE_DIFFERS || isnan(least) ||
        isnan(most)) {
        return;
    }
    const double low = relative(least, tails->a);
    const double high = relative(most, tails->a);
    const double threshold = threshold_of(row, tails->a, settings);
    const bool worse = low > threshold;

    if (!worse && (high >= -threshold || row->verdict != COMPARE_SAME)) {
        return;
    }
    row->why = !significant                     ? few_boots_tail
               : row->verdict == COMPARE_BETTER ? "tail; the median is better"
                                                : "tail";
    row->by_tail = true;
    row->verdict = significant ? direction(row, worse) : COMPARE_DIFFERS;
    set_shift(row, tails->b - tails->a, least, most, tails->a);
}

/* Limits a verdict to these boots if others might differ as much: from one boot on each side, or if
 * the machine may have drifted between the groups. */
static void judge_boots(struct compare_row *row, bool in_order)
{
    if (row->a_boots <= 1 && row->b_boots <= 1 && row->verdict != COMPARE_UNCLEAR) {
        row->verdict = row->verdict == COMPARE_SAME ? COMPARE_SAME : COMPARE_DIFFERS;
        row->why = row->by_tail ? one_boot_tail : one_boot;
    } else if (!in_order && row->verdict < COMPARE_DIFFERS) {
        row->verdict = COMPARE_DIFFERS;
        row->why = no_order;
    }
}

/* Corrects the probabilities of the rows that were tested by the values of one boot. */
static void correct_values(struct compare *compare)
{
    double *p = alloc_zeroed((2 * compare->count + 1) * sizeof(*p));

    for (size_t i = 0; i < compare->count; i++) {
        p[2 * i] = compare->item[i].by_boots ? NAN : compare->item[i].p;
        p[2 * i + 1] = compare->item[i].tail_p;
    }
    compare_holm(p, 2 * compare->count);
    for (size_t i = 0; i < compare->count; i++) {
        compare->item[i].p = compare->item[i].by_boots ? compare->item[i].p : p[2 * i];
        compare->item[i].tail_p = p[2 * i + 1];
    }
    free(p);
}

/* Returns column `index` of the rows: of row i / 2 the middles, then the upper quantiles. */
static const double *column_at(const struct compare *compare, size_t index)
{
    const struct compare_row *row = &compare->item[index / 2];

    return index % 2 == 0 ? row->middles : row->upper;
}

/* Tests the rows that are judged by boots, all of them together. */
static void test_groups(struct compare *compare, size_t a_count, size_t b_count)
{
    const size_t boots = a_count + b_count;
    double *values = alloc_zeroed(2 * (compare->count + 1) * boots * sizeof(*values));
    struct permutation_chance *chances = alloc_zeroed(2 * (compare->count + 1) * sizeof(*chances));
    const struct permutation_chance *chance = chances;

    for (size_t i = 0; i < 2 * compare->count; i++) {
        compare->tested += column_at(compare, i) != NULL;
    }
    for (size_t i = 0, k = 0; i < 2 * compare->count; i++) {
        for (size_t boot = 0; boot < boots && column_at(compare, i) != NULL; boot++) {
            values[boot * compare->tested + k] = column_at(compare, i)[boot];
        }
        k += column_at(compare, i) != NULL;
    }
    permutation_test(values, compare->tested, a_count, b_count, chances);
    for (size_t i = 0; i < compare->count; i++) {
        struct compare_row *row = &compare->item[i];

        if (row->middles != NULL) { /* p is that of Poisson's test of a rate, or NAN */
            row->test_p = fmax(row->p, chance->p);
            row->p = fmax(row->p, chance++->corrected);
        }
        if (row->upper != NULL) {
            row->tails.p = chance->p;
            row->tail_p = chance++->corrected;
        }
    }
    free(values);
    free(chances);
}

static const char **only_in(struct boot_group group, struct boot_group other, const char *pattern,
                            size_t *count)
{
    const struct metrics *metrics = group.runs[0];
    const char **only = alloc_zeroed((metrics->count + 1) * sizeof(*only));

    *count = 0;
    for (size_t i = 0; i < metrics->count; i++) {
        if (compare_is_wanted(pattern, metrics->item[i].name) &&
            first_of(other, &metrics->item[i]) == NULL) {
            only[(*count)++] = metrics->item[i].name;
        }
    }
    return only;
}

/* Can equal boots differ? In exact time and in simulated time they are equal to the tick. */
static bool do_boots_vary(struct boot_group group)
{
    return SEARCH_ANY(i, group.count,
                      group.runs[i]->run == NULL || !run_is_simulated(group.runs[i]->run));
}

static void add_metrics(struct compare *compare, struct boot_group a, struct boot_group b,
                        const struct boot_scale *scale, const char *pattern)
{
    for (size_t run = 0; run < a.count; run++) {
        const struct boot_group before = {a.runs, run};
        const struct metrics *metrics = a.runs[run];

        for (size_t i = 0; i < metrics->count; i++) {
            const struct pair pair = {&metrics->item[i], a, b, scale, compare->boots_vary};

            if (first_of(before, pair.like) == NULL && first_of(b, pair.like) != NULL &&
                compare_is_wanted(pattern, pair.like->name)) {
                add_rates(compare, &pair);
                add_values(compare, &pair, BOOT_WARM, "");
                if (!pair.like->is_share) {
                    add_values(compare, &pair, BOOT_COLD, " cold");
                }
            }
        }
    }
}

void compare_boots(struct boot_group a, struct boot_group b,
                   const struct compare_settings *settings, struct compare *compare)
{
    const struct boot_scale scale = boot_scale_of(a, b);

    *compare = (struct compare){
        .lengths = scale.unit,
        .boots_vary = !scale.exact && (do_boots_vary(a) || do_boots_vary(b)),
    };
    compare->one_boot = compare->boots_vary && a.count == 1 && b.count == 1;
    compare->order = boot_order_of(a, b);
    compare->least_p = permutation_least(a.count, b.count);
    add_metrics(compare, a, b, &scale, settings->pattern);
    correct_values(compare);
    test_groups(compare, a.count, b.count);
    compare->needed = permutation_boots_needed(compare->tested, settings->alpha);
    for (size_t i = 0; i < compare->count; i++) {
        struct compare_row *row = &compare->item[i];

        judge_middle(row, settings);
        judge_tail(row, settings);
        if (compare->boots_vary) {
            judge_boots(row, compare->order != BOOT_ORDER_UNKNOWN);
        }
        compare->verdicts[row->verdict]++;
    }
    compare->only_a = only_in(a, b, settings->pattern, &compare->only_a_count);
    compare->only_b = only_in(b, a, settings->pattern, &compare->only_b_count);
}

void compare_free(struct compare *compare)
{
    for (size_t i = 0; i < compare->count; i++) {
        free(compare->item[i].name);
        free(compare->item[i].a_medians);
        free(compare->item[i].b_medians);
        free(compare->item[i].a_values);
        free(compare->item[i].b_values);
        free(compare->item[i].middles);
        free(compare->item[i].upper);
    }
    free(compare->item);
    free(compare->only_a);
    free(compare->only_b);
    *compare = (struct compare){0};
}

/* ---- runs ---- */

/* Does this key differ at every boot, or is it printed elsewhere? */
static bool is_passing(const char *key)
{
    static const char *const keys[] = {
        INFO_DATE,
        INFO_RUN,
        INFO_SEAL,
        INFO_BOOT_ORDER,
        FACT_LOG_FILE,
        "plan.source",
        FACT_MEMORY_FREE_BYTES,
        FACT_MEMORY_MAP_RANGES,
        FACT_WINDOW_END,
        FACT_IMAGE_BASE,
        FACT_SMI_COUNT,
        FACT_FRAMEBUFFER,
        FACT_TSC_ADJUST,
        "microseconds",
        FACT_EXIT_ATTEMPTS,
    };

    for (size_t i = 0; i < COUNT(keys); i++) {
        if (strcmp(key, keys[i]) == 0) {
            return true;
        }
    }
    return strncmp(key, "tsc_at_", 7) == 0 || strncmp(key, "log.", 4) == 0 ||
           strncmp(key, EXIT_KEY_PROFILE, strlen(EXIT_KEY_PROFILE)) == 0;
}

/* Are the texts equal except for blanks and line ends, which mean the same anywhere in such a text?
 */
static bool are_same_words(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        const size_t a_blanks = strspn(a, BLANKS);
        const size_t b_blanks = strspn(b, BLANKS);

        if ((a_blanks > 0) != (b_blanks > 0) || a[a_blanks] != b[b_blanks]) {
            break;
        }
        a += a_blanks > 0 ? a_blanks : 1;
        b += b_blanks > 0 ? b_blanks : 1;
    }
    return a[strspn(a, BLANKS)] == '\0' && b[strspn(b, BLANKS)] == '\0';
}

static void add_difference(struct compare_differences *differences, const char *what, const char *a,
                           const char *b)
{
    if (a == NULL ? b == NULL : b != NULL && are_same_words(a, b)) {
        return;
    }
    struct compare_difference *item =
        ALLOC_NEXT(differences->item, differences->count, differences->capacity);

    *item = (struct compare_difference){.a = a, .b = b};
    snprintf(item->what, sizeof(item->what), "%s", what);
}

static void compare_pairs(const struct run_pairs *a, const struct run_pairs *b,
                          struct compare_differences *differences)
{
    for (size_t i = 0; i < a->count; i++) {
        const char *key = a->item[i].key;

        if (!is_passing(key) && strcmp(key, INFO_KIND) != 0 &&
            run_pair_value(a, key) == a->item[i].value) {
            add_difference(differences, key, a->item[i].value, run_pair_value(b, key));
        }
    }
    for (size_t i = 0; i < b->count; i++) {
        const char *key = b->item[i].key;

        if (!is_passing(key) && strcmp(key, INFO_KIND) != 0 && run_pair_value(a, key) == NULL) {
            add_difference(differences, key, NULL, b->item[i].value);
        }
    }
}

static const char *found_of(const struct run_bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->param_count; i++) {
        if (run_param_is_found(&bench->params[i]) && strcmp(bench->params[i].name, name) == 0) {
            return bench->params[i].value;
        }
    }
    return NULL;
}

/* Compares the texts that `a` determined; with `lacking`, adds those that only `b` determined. */
static void compare_found_of(const struct run_bench *a, const struct run_bench *b, bool lacking,
                             struct compare_differences *differences)
{
    const struct run_bench *from = lacking ? b : a;
    char what[COMPARE_WHAT_MAX];

    for (size_t i = 0; i < from->param_count; i++) {
        const char *name = from->params[i].name;

        if (!run_param_is_found(&from->params[i]) || (lacking && found_of(a, name) != NULL)) {
            continue;
        }
        snprintf(what, sizeof(what), "%.40s %.40s", from->name, name);
        add_difference(differences, what, found_of(a, name), found_of(b, name));
    }
}

/* Compares what benches determined themselves, such as which disk they read, and how. */
static void compare_found(const struct run *a, const struct run *b,
                          struct compare_differences *differences)
{
    for (size_t i = 0; i < a->bench_count; i++) {
        const struct run_bench *bench = &a->benches[i];
        const struct run_bench *other = run_find_pass(b, bench->name, bench->pass);

        if (other != NULL && bench->pass == 1) {
            compare_found_of(bench, other, false, differences);
            compare_found_of(bench, other, true, differences);
        }
    }
}

void compare_runs(const struct run *a, const struct run *b, struct compare_differences *differences)
{
    *differences = (struct compare_differences){0};
    add_difference(differences, INFO_KIND, run_time_name(a), run_time_name(b));
    compare_pairs(&a->info, &b->info, differences);
    add_difference(differences, "plan", a->plan_text, b->plan_text);
    compare_pairs(&a->machine, &b->machine, differences);
    compare_found(a, b, differences);
}

bool compare_is_identity(const char *what)
{
    static const char *const keys[] = {INFO_KIND,
                                       INFO_TICKS_PER_INSTRUCTION,
                                       INFO_VERSION,
                                       "ownership",
                                       INFO_HYPERVISOR,
                                       INFO_EMULATOR_TIME,
                                       INFO_EMULATOR_SHIFT,
                                       "emulator",
                                       "emulator.machine",
                                       "emulator.cpu",
                                       "emulator.processors",
                                       "emulator.memory_mib",
                                       "emulator.arguments",
                                       "image.sha256",
                                       "firmware.sha256",
                                       "under",
                                       "under.l1.kernel",
                                       "under.l1.command_line",
                                       "under.l1.qemu",
                                       FACT_FIRMWARE_VENDOR,
                                       FACT_FIRMWARE_REVISION,
                                       FACT_CPU_BRAND,
                                       FACT_CPU_SIGNATURE,
                                       FACT_PROCESSORS,
                                       "plan"};

    for (size_t i = 0; i < COUNT(keys); i++) {
        if (strcmp(what, keys[i]) == 0) {
            return true;
        }
    }
    return strncmp(what, RUN_UNDER, strlen(RUN_UNDER)) == 0;
}

void compare_differences_free(struct compare_differences *differences)
{
    free(differences->item);
    *differences = (struct compare_differences){0};
}
