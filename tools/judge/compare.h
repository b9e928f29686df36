/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparison of one run, or one group of runs, with another: a verdict on each metric that both
 * have.
 *
 * The unit is the boot. One statistic of each metric is taken from each boot, its median. A metric
 * is worse or better if two conditions hold: the probability of such a difference without a real
 * one is at most `alpha`, by a permutation test of whole boots that covers all metrics together
 * (tools/stats/permutation.h), and the interval of the shift is wholly beyond the practical
 * threshold, a fraction of a's value. It is the same if the interval is wholly within the
 * threshold. Otherwise it is unclear. If the median shows nothing, the tail is compared in the same
 * way: p99 of each boot, or p90. Rates of sparse events must also differ by a Poisson test.
 *
 * What would be worse, better or changed is only "differs" if there are too few boots for a
 * probability of alpha (fewer than 4 and 4), and if the boots were not in an order that keeps a
 * drift of the machine out of the difference (enum boot_order).
 *
 * Shares of time, such as lost (stolen) time, are compared by the difference of boots, or of the
 * means of blocks of their parts, with an absolute threshold in ppm of the time, because even a
 * hundredfold relative change of a tiny share is negligible.
 *
 * In exact time, and in the simulated time of a model, equal boots are equal to the tick. There the
 * values of one boot are judged: by Mann and Whitney, Hodges and Lehmann, and struct two_tails,
 * corrected by Holm for all metrics. Values that never vary are compared directly.
 *
 * One boot on each side, in any other time base, is also judged by its values. But the variation
 * between boots is then unknown, so what would be worse, better or changed only "differs".
 *
 * Lengths are in instructions if all runs are in exact time, otherwise in nanoseconds, or in ticks
 * if the rate of a TSC is unknown.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/judge/boots.h"
#include "tools/present/metrics.h"
#include "tools/stats/compare_statistics.h"
#include "tools/stats/permutation.h"
#include "tools/stats/summary.h"

#define COMPARE_THRESHOLD 0.01
#define COMPARE_ALPHA     0.05
#define COMPARE_STOLEN    10 /* ppm of the time: microseconds in each second */

struct compare_settings {
    double threshold; /* fraction of a's value, 0 or more */
    double alpha;
    double stolen;       /* ppm, 0 or more: the threshold of shares of time */
    const char *pattern; /* selects metrics by name, as for fnmatch(3); NULL: all */
    /* The threshold of lengths that are counted in instructions is this number of instructions, 0
     * or more, and not a fraction. */
    bool by_instructions;
    double instructions;
};

enum compare_verdict {
    COMPARE_WORSE,
    COMPARE_BETTER,
    COMPARE_CHANGED, /* a significant change of a metric that is neither good nor bad */
    COMPARE_DIFFERS, /* these boots differ; whether others would is unknown */
    COMPARE_UNCLEAR,
    COMPARE_SAME,
    COMPARE_VERDICTS,
};
/* Names of the verdicts: "worse", "better", "changed", "differs", "unclear", "same". */
extern const char *const compare_verdict_names[COMPARE_VERDICTS];

struct compare_row {
    char *name;                 /* name of the metric, or "NAME cold", "NAME rate" */
    const struct metric *a, *b; /* metric in the first boot of each side that has it */
    const char *unit;
    bool is_rate; /* a_median and b_median are rates, and there are no values */
    /* a_median and b_median are shares of the whole run; a_values and b_values are shares of its
     * parts */
    bool is_share;
    size_t a_boots, b_boots;
    double *a_medians, *b_medians; /* median or share of each boot; NULL for rates */
    /* number of values of all boots; in exact time, of the first boot */
    size_t a_count, b_count;
    double *a_values, *b_values; /* sorted, in the unit; of a rate the lengths of its events, */
    size_t a_lengths, b_lengths; /* which are so many, in the unit of lengths */
    double a_median, b_median;   /* for a group the mean of its boots' medians, or rates */
    /* chance plays no role: neither side's values vary, or in exact time both are the same */
    bool exact;
    bool by_boots; /* judged by one statistic of each boot */

    /* (b - a) as a fraction of a's median, positive if b is greater; INFINITY if a's is 0. If
     * by_tail, of the quantiles. */
    double shift;
    bool has_interval;
    double low, high;
    bool by_tail; /* the verdict is about the tail */

    /* b - a and its interval in the unit, if by_tail of the quantiles; for a share as judged. NAN:
     * unknown. It is what remains to be said if a's value is 0. */
    double difference, difference_low, difference_high;

    struct two_samples samples; /* valid if compare_is_sampled(); values of boots if by_boots */
    struct two_groups groups;   /* valid if by_boots */
    /* median, share or rate, and upper quantile, of each boot of both groups, NAN if the boot has
     * none; NULL: not tested by boots */
    double *middles, *upper;
    struct two_rates rates; /* rates of all boots together */
    /* factor for correlated values; 1: not correlated; NAN if by_boots */
    double inflation;
    bool has_tails;
    struct two_tails tails; /* for boots, without intervals of the quantiles */
    struct two_groups tail_groups;
    double test_p;    /* probability before the correction; NAN: not tested */
    double p, tail_p; /* probabilities corrected for all metrics; NAN: not tested */

    enum compare_verdict verdict;
    const char *why; /* reason for unclear, or a remark on another verdict; may be NULL */
};

struct compare {
    struct compare_row *item; /* in the order of run a */
    size_t count, capacity;
    size_t verdicts[COMPARE_VERDICTS];
    const char *lengths; /* unit of lengths */
    bool boots_vary;     /* equal boots need not be equal to the tick */
    bool one_boot;       /* one boot on each side, and boots vary */
    enum boot_order order;
    size_t tested;  /* medians, rates and quantiles that were tested by boots */
    double least_p; /* smallest probability that groups of these sizes can have */
    /* boots of each group that decide in `tested` tests (permutation.h); 0: no number does */
    size_t needed;
    const char **only_a, **only_b; /* names of metrics that the other run does not have */
    size_t only_a_count, only_b_count;
};

/* Compares two groups. The metrics must outlive the result. */
void compare_boots(struct boot_group a, struct boot_group b,
                   const struct compare_settings *settings, struct compare *compare);
void compare_free(struct compare *compare);

/* Returns the row of that metric, or NULL. */
const struct compare_row *compare_find(const struct compare *compare, const char *name);
/* Are the row's values compared as two samples, by rank tests and Cliff's delta? */
bool compare_is_sampled(const struct compare_row *row);

/* Is the name selected: is it equal to the pattern, or does it match it? */
bool compare_is_wanted(const char *pattern, const char *name);

/* Differences between two runs: time base, plan, image and machine, except what changes with every
 * boot, and what benches of both determined themselves, as "BENCH NAME", such as the disk that they
 * read. A missing text is NULL. */
#define COMPARE_WHAT_MAX 96
struct compare_difference {
    char what[COMPARE_WHAT_MAX];
    const char *a, *b;
};
struct compare_differences {
    struct compare_difference *item;
    size_t count, capacity;
};
void compare_runs(const struct run *a, const struct run *b,
                  struct compare_differences *differences);
/* Must boots of one group be equal in this? */
bool compare_is_identity(const char *what);
void compare_differences_free(struct compare_differences *differences);
