/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/compare/compare.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/run/run_kind.h"
#include "tools/stats/summary.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CONSTANT_MIN 6 /* the fewest values whose median has an interval */
#define BLANKS       " \t\r\n"

static const char too_few[] = "too few values";
static const char no_events[] = "no event in either: of both rates only a bound is known";
static const char near_threshold[] = "the interval reaches over the threshold";
static const char not_beyond_chance[] = "not beyond chance";

const char *compare_verdict_name(enum compare_verdict verdict)
{
    static const char *const names[COMPARE_VERDICTS] = {"worse", "better", "changed", "unclear",
                                                        "same"};

    return names[verdict];
}

bool compare_is_sampled(const struct compare_row *row)
{
    return !row->exact && !row->is_rate && !row->is_share;
}

bool compare_is_wanted(const char *pattern, const char *name)
{
    return pattern == NULL || strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0;
}

/* ---- units ---- */

struct scale {
    const char *unit;
    double a, b; /* units a tick, in each run */
};

static bool is_exact_time(const struct metrics *a, const struct metrics *b)
{
    return a->ticks_per_instruction > 0 && b->ticks_per_instruction > 0;
}

static struct scale length_scale(const struct metrics *a, const struct metrics *b)
{
    if (is_exact_time(a, b)) {
        return (struct scale){"instructions", 1 / a->ticks_per_instruction,
                              1 / b->ticks_per_instruction};
    }
    if (a->ns_per_tick > 0 && b->ns_per_tick > 0) {
        return (struct scale){UNIT_NANOSECOND, a->ns_per_tick, b->ns_per_tick};
    }
    return (struct scale){UNIT_TICK, 1, 1};
}

static bool is_length(const struct metric *metric)
{
    return strcmp(metric->unit, UNIT_TICK) == 0;
}

/* ---- rows ---- */

struct pair {
    const struct metric *a, *b;
    struct scale scale; /* of its values */
    bool exact_time;    /* of both runs */
};

static struct compare_row *add_row(struct compare *compare, const struct pair *pair,
                                   const char *suffix)
{
    const size_t size = strlen(pair->a->name) + strlen(suffix) + 1;

    compare->item =
        alloc_append(compare->item, &compare->count, &compare->capacity, sizeof(*compare->item));
    struct compare_row *row = &compare->item[compare->count - 1];

    *row = (struct compare_row){
        .name = alloc_zeroed(size),
        .a = pair->a,
        .b = pair->b,
        .unit = pair->scale.unit,
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
    snprintf(row->name, size, "%s%s", pair->a->name, suffix);
    return row;
}

static double *scaled_values(const double *values, size_t n, double scale)
{
    double *scaled = alloc_zeroed(n * sizeof(*scaled));

    for (size_t i = 0; i < n; i++) {
        scaled[i] = values[i] * scale;
    }
    summary_sort(scaled, n);
    return scaled;
}

static double relative(double difference, double of)
{
    if (of == 0 && difference != 0) {
        return difference > 0 ? INFINITY : -INFINITY;
    }
    return difference == 0 ? 0 : difference / fabs(of);
}

static bool are_equal(const struct compare_row *row)
{
    if (row->a_count != row->b_count) {
        return false;
    }
    for (size_t i = 0; i < row->a_count; i++) {
        if (row->a_values[i] != row->b_values[i]) {
            return false;
        }
    }
    return true;
}

static bool is_constant(const double *sorted, size_t n)
{
    return sorted[0] == sorted[n - 1];
}

/* Values that never vary need no test of chance: in exact time always, in real time where there are
 * enough of them. Equal values of both runs need none in exact time; in real time they are chance,
 * or one run under two names. */
static bool is_exact(const struct compare_row *row, bool exact_time)
{
    if (exact_time && are_equal(row)) {
        return true;
    }
    return is_constant(row->a_values, row->a_count) && is_constant(row->b_values, row->b_count) &&
           (exact_time || (row->a_count >= CONSTANT_MIN && row->b_count >= CONSTANT_MIN));
}

static void set_exact(struct compare_row *row)
{
    row->exact = true;
    row->shift = row->low = row->high = relative(row->b_median - row->a_median, row->a_median);
    row->has_interval = true;
}

/* The medians are values that occurred; the shift is that of all pairs. */
static void test_row(struct compare_row *row, const double *a, const double *b)
{
    const double n = (double)row->a_count;
    const double m = (double)row->b_count;

    /* Of the difference of two means: each sample has its part of the variance. */
    row->inflation =
        (compare_inflation(a, row->a_count) * m + compare_inflation(b, row->b_count) * n) / (n + m);
    compare_samples(row->a_values, row->a_count, row->b_values, row->b_count, row->inflation,
                    &row->samples);
    row->test_p = row->p = row->samples.p;
    row->shift = relative(row->samples.shift, row->a_median);
    row->has_interval = row->samples.has_interval;
    if (row->has_interval) {
        row->low = relative(row->samples.low, row->a_median);
        row->high = relative(row->samples.high, row->a_median);
    }
    row->has_tails =
        row->a->better == METRIC_LESS && compare_tails(row->a_values, row->a_count, row->b_values,
                                                       row->b_count, row->inflation, &row->tails);
    row->tail_p = row->has_tails ? row->tails.p : NAN;
}

/* Values as they were taken. */
struct taken {
    const double *values;
    size_t n;
};

static void add_values(struct compare *compare, const struct pair *pair, struct taken a,
                       struct taken b, const char *suffix)
{
    if (a.n == 0 || b.n == 0) {
        return;
    }
    struct compare_row *row = add_row(compare, pair, suffix);

    row->a_count = a.n;
    row->b_count = b.n;
    row->a_values = scaled_values(a.values, a.n, pair->scale.a);
    row->b_values = scaled_values(b.values, b.n, pair->scale.b);
    row->a_median = summary_quantile_of(row->a_values, a.n, 0.5);
    row->b_median = summary_quantile_of(row->b_values, b.n, 0.5);
    if (is_exact(row, pair->exact_time)) {
        set_exact(row);
    } else {
        test_row(row, a.values, b.values);
    }
}

/* Events a second, or a tick where its length is not known. */
static void add_rate(struct compare *compare, const struct pair *pair, const struct metrics *a,
                     const struct metrics *b)
{
    const bool seconds = a->ns_per_tick > 0 && b->ns_per_tick > 0;
    const double a_time = pair->a->observed * (seconds ? a->ns_per_tick / 1e9 : 1);
    const double b_time = pair->b->observed * (seconds ? b->ns_per_tick / 1e9 : 1);
    struct compare_row *row = add_row(compare, pair, " rate");

    row->is_rate = true;
    row->unit = seconds ? "1/s" : "1/tick";
    row->a_count = pair->a->n + pair->a->unkept;
    row->b_count = pair->b->n + pair->b->unkept;
    row->a_median = (double)row->a_count / a_time;
    row->b_median = (double)row->b_count / b_time;
    if (pair->exact_time) {
        set_exact(row);
        return;
    }
    if (row->a_count == 0 && row->b_count == 0) {
        return; /* both are bounds */
    }
    compare_rates(row->a_count, a_time, row->b_count, b_time, &row->rates);
    row->test_p = row->p = row->rates.p;
    row->shift = row->rates.ratio - 1;
    row->low = row->rates.low - 1;
    row->high = row->rates.high - 1;
    row->has_interval = true;
}

/* By the means of their parts, as most parts of a quiet run are 0; in exact time as they are. */
static void add_share(struct compare *compare, const struct pair *pair)
{
    const struct metric *a = pair->a;
    const struct metric *b = pair->b;
    struct compare_row *row = add_row(compare, pair, "");
    struct two_means means;

    row->is_share = true;
    row->exact = pair->exact_time;
    row->a_count = a->n;
    row->b_count = b->n;
    row->a_values = scaled_values(a->values, a->n, 1);
    row->b_values = scaled_values(b->values, b->n, 1);
    row->a_median = a->share;
    row->b_median = b->share;
    row->inflation = fmax(compare_inflation(a->values, a->n), compare_inflation(b->values, b->n));
    compare_means(a->values, a->n, b->values, b->n, row->inflation, &means);
    row->difference = b->share - a->share;
    row->has_interval = row->exact || means.has_interval;
    if (row->exact) {
        row->difference_low = row->difference_high = row->difference;
    } else if (means.has_interval) {
        row->difference_low = row->difference + (means.low - means.difference);
        row->difference_high = row->difference + (means.high - means.difference);
        row->test_p = row->p = means.p;
    }
    row->shift = relative(row->difference, a->share);
    row->low = relative(row->difference_low, a->share);
    row->high = relative(row->difference_high, a->share);
}

static void add_pair(struct compare *compare, const struct metrics *a, const struct metrics *b,
                     const struct metric *left, const struct metric *right)
{
    struct pair pair = {left, right, {left->unit, 1, 1}, is_exact_time(a, b)};

    if (is_length(left)) {
        pair.scale = length_scale(a, b);
    }
    if (left->work > 0 && right->work > 0) {
        pair.scale.b *= left->work / right->work;
    }
    if (left->observed > 0 && right->observed > 0) {
        add_rate(compare, &pair, a, b);
    }
    if (left->is_share && right->is_share) {
        add_share(compare, &pair);
        return;
    }
    add_values(compare, &pair, (struct taken){left->values, left->n},
               (struct taken){right->values, right->n}, "");
    add_values(compare, &pair, (struct taken){left->cold, left->cold_count},
               (struct taken){right->cold, right->cold_count}, " cold");
}

/* ---- verdicts ---- */

static enum compare_verdict direction(const struct compare_row *row, bool greater)
{
    if (row->a->better == METRIC_NEITHER) {
        return COMPARE_CHANGED;
    }
    return greater == (row->a->better == METRIC_LESS) ? COMPARE_WORSE : COMPARE_BETTER;
}

/* By the middle, or by rates. */
static void judge_middle(struct compare_row *row, const struct compare_settings *settings)
{
    const double threshold = row->is_share ? settings->stolen : settings->threshold;
    const double low = row->is_share ? row->difference_low : row->low;
    const double high = row->is_share ? row->difference_high : row->high;
    const bool beyond = row->has_interval && (low > threshold || high < -threshold);
    const bool within = row->has_interval && low >= -threshold && high <= threshold;
    const bool significant = row->exact || row->p <= settings->alpha;

    if (beyond && significant) {
        row->verdict = direction(row, low > 0);
    } else if (within) {
        row->verdict = COMPARE_SAME;
    } else {
        row->verdict = COMPARE_UNCLEAR;
        row->why = row->is_rate && isnan(row->p) ? no_events
                   : !row->has_interval          ? too_few
                   : significant                 ? near_threshold
                                                 : not_beyond_chance;
    }
}

/* Only where the middle is not worse anyway. A tail that is worse weighs more than a middle that is
 * better; one that is better, less than a middle that is not known to be the same. */
static void judge_tail(struct compare_row *row, const struct compare_settings *settings)
{
    const struct two_tails *tails = &row->tails;

    if (!row->has_tails || !(row->tail_p <= settings->alpha) || row->verdict == COMPARE_WORSE ||
        isnan(tails->a_low) || isnan(tails->b_low)) {
        return;
    }
    const double low = relative(tails->b_low - tails->a_high, tails->a);
    const double high = relative(tails->b_high - tails->a_low, tails->a);
    const bool worse = low > settings->threshold;

    if (!worse && (high >= -settings->threshold || row->verdict != COMPARE_SAME)) {
        return;
    }
    row->why = row->verdict == COMPARE_BETTER ? "tail; the median is better" : "tail";
    row->by_tail = true;
    row->verdict = direction(row, worse);
    row->shift = relative(tails->b - tails->a, tails->a);
    row->low = low;
    row->high = high;
    row->has_interval = true;
}

/* All chances of all rows are one family. */
static void correct_chances(struct compare *compare)
{
    double *p = alloc_zeroed((2 * compare->count + 1) * sizeof(*p));

    for (size_t i = 0; i < compare->count; i++) {
        p[2 * i] = compare->item[i].p;
        p[2 * i + 1] = compare->item[i].tail_p;
    }
    compare_holm(p, 2 * compare->count);
    for (size_t i = 0; i < compare->count; i++) {
        compare->item[i].p = p[2 * i];
        compare->item[i].tail_p = p[2 * i + 1];
    }
    free(p);
}

/* ---- all ---- */

/* Both have it, in the same unit. */
static const struct metric *find_same(const struct metrics *metrics, const struct metric *metric)
{
    for (size_t i = 0; i < metrics->count; i++) {
        if (strcmp(metrics->item[i].name, metric->name) == 0) {
            return strcmp(metrics->item[i].unit, metric->unit) == 0 ? &metrics->item[i] : NULL;
        }
    }
    return NULL;
}

static const char **only_in(const struct metrics *metrics, const struct metrics *other,
                            const char *pattern, size_t *count)
{
    const char **only = alloc_zeroed((metrics->count + 1) * sizeof(*only));

    *count = 0;
    for (size_t i = 0; i < metrics->count; i++) {
        if (compare_is_wanted(pattern, metrics->item[i].name) &&
            find_same(other, &metrics->item[i]) == NULL) {
            only[(*count)++] = metrics->item[i].name;
        }
    }
    return only;
}

void compare_metrics(const struct metrics *a, const struct metrics *b,
                     const struct compare_settings *settings, struct compare *compare)
{
    *compare = (struct compare){.lengths = length_scale(a, b).unit};
    for (size_t i = 0; i < a->count; i++) {
        const struct metric *left = &a->item[i];
        const struct metric *right = find_same(b, left);

        if (right != NULL && compare_is_wanted(settings->pattern, left->name)) {
            add_pair(compare, a, b, left, right);
        }
    }
    correct_chances(compare);
    for (size_t i = 0; i < compare->count; i++) {
        struct compare_row *row = &compare->item[i];

        judge_middle(row, settings);
        judge_tail(row, settings);
        compare->verdicts[row->verdict]++;
    }
    compare->only_a = only_in(a, b, settings->pattern, &compare->only_a_count);
    compare->only_b = only_in(b, a, settings->pattern, &compare->only_b_count);
}

void compare_free(struct compare *compare)
{
    for (size_t i = 0; i < compare->count; i++) {
        free(compare->item[i].name);
        free(compare->item[i].a_values);
        free(compare->item[i].b_values);
    }
    free(compare->item);
    free(compare->only_a);
    free(compare->only_b);
    *compare = (struct compare){0};
}

/* ---- runs ---- */

/* What differs at every boot, or is printed elsewhere. */
static bool is_passing(const char *key)
{
    static const char *const keys[] = {
        INFO_DATE,
        INFO_RUN,
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
    return strncmp(key, "tsc_at_", 7) == 0 || strncmp(key, "log.", 4) == 0;
}

/* Equal except for blanks and line ends, which mean the same wherever a text has them. */
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
    differences->item = alloc_append(differences->item, &differences->count, &differences->capacity,
                                     sizeof(*differences->item));
    differences->item[differences->count - 1] = (struct compare_difference){what, a, b};
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

void compare_runs(const struct run *a, const struct run *b, struct compare_differences *differences)
{
    *differences = (struct compare_differences){0};
    add_difference(differences, INFO_KIND, run_time_name(a), run_time_name(b));
    compare_pairs(&a->info, &b->info, differences);
    add_difference(differences, "plan", a->plan_text, b->plan_text);
    compare_pairs(&a->machine, &b->machine, differences);
}

void compare_differences_free(struct compare_differences *differences)
{
    free(differences->item);
    *differences = (struct compare_differences){0};
}
