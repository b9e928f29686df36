/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One run, or one group of runs, beside another: a verdict on each metric that both have.
 *
 * The unit is the boot. Of each boot one statistic is taken of each metric, its median, and how
 * these vary within the groups decides (compare_groups). Worse or better is what holds twice: the
 * chance of such a difference without any is at most `alpha`, corrected by Holm for all metrics
 * that are compared; and the interval of the shift (95 %) lies wholly beyond the practical
 * threshold, a part of a's value. Same is what has its interval wholly within the threshold. All
 * else is unclear. Where the median shows nothing, the tail is compared in the same way: p99 of
 * each boot, or p90. Rates of sparse events must differ by Poisson's distribution too.
 *
 * Shares of time, as stolen time is, are compared by the difference of boots, or of the means of
 * their parts (Welch), against an absolute threshold in ppm of the time: as a part of a sample, a
 * hundred times as much is nothing.
 *
 * In exact time, and in that of a model, equal boots are equal to the tick. There the values of one
 * boot are judged: by Mann and Whitney, Hodges and Lehmann, and struct two_tails. What never varies
 * is compared as it is.
 *
 * One boot a side, in any other time, is judged by its values as well. But how boots vary is
 * unknown: what would be worse, better or changed only differs.
 *
 * Lengths are in instructions where time is exact in all runs, else in nanoseconds, or ticks where
 * the rate of a TSC is not known.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/judge/boots.h"
#include "tools/present/metrics.h"
#include "tools/stats/compare_statistics.h"
#include "tools/stats/summary.h"

#define COMPARE_THRESHOLD 0.01
#define COMPARE_ALPHA     0.05
#define COMPARE_STOLEN    10 /* ppm of the time: microseconds in each second */

struct compare_settings {
    double threshold; /* 0 or more */
    double alpha;
    double stolen;       /* ppm, 0 or more: the threshold of shares of time */
    const char *pattern; /* names, as fnmatch(3) has it; NULL: all */
};

enum compare_verdict {
    COMPARE_WORSE,
    COMPARE_BETTER,
    COMPARE_CHANGED, /* of what is neither good nor bad */
    COMPARE_DIFFERS, /* these two boots do: whether others would is unknown */
    COMPARE_UNCLEAR,
    COMPARE_SAME,
    COMPARE_VERDICTS,
};
/* "worse", "better", "changed", "differs", "unclear", "same". */
extern const char *const compare_verdict_names[COMPARE_VERDICTS];

struct compare_row {
    char *name;                 /* the metric's; "NAME cold"; "NAME rate" */
    const struct metric *a, *b; /* of the first boot of each side that has it */
    const char *unit;
    bool is_rate;  /* a_median and b_median are rates, and there are no values */
    bool is_share; /* they are the shares of the whole runs, and the values those of their parts */
    size_t a_boots, b_boots;
    double *a_medians, *b_medians; /* of each boot, or shares; NULL: of rates */
    size_t a_count, b_count;       /* values of all boots; in exact time, of the first */
    double *a_values, *b_values;   /* sorted, in the unit */
    double a_median, b_median;     /* of a group the mean of its boots' medians, or rates */
    bool exact; /* neither side's values vary, or in exact time both have the same: no chance is in
                 * it */
    bool by_boots; /* judged by one statistic of each boot */

    /* (b - a) as a part of a's median, positive where b is greater; INFINITY where a's is 0. By
     * tail: of the quantiles. */
    double shift;
    bool has_interval;
    double low, high;
    bool by_tail; /* the verdict is of the tail */

    /* Of a share b - a in its unit, with low and high as they are judged; else NAN. */
    double difference, difference_low, difference_high;

    struct two_samples samples; /* where compare_is_sampled(); of boots where by_boots */
    struct two_groups groups;   /* where by_boots */
    struct two_rates rates;     /* of all boots together */
    double inflation;           /* of correlated values; 1: none; NAN where by_boots */
    bool has_tails;
    struct two_tails tails; /* of boots: without intervals of the quantiles */
    struct two_groups tail_groups;
    double test_p;    /* as it was tested; NAN: not */
    double p, tail_p; /* by Holm; NAN: not tested */

    enum compare_verdict verdict;
    const char *why; /* the reason for unclear, or a remark on another verdict; NULL */
};

struct compare {
    struct compare_row *item; /* in the order of run a */
    size_t count, capacity;
    size_t verdicts[COMPARE_VERDICTS];
    const char *lengths;           /* unit of lengths */
    bool boots_vary;               /* equal boots need not be equal to the tick */
    bool one_boot;                 /* a side, and boots vary */
    const char **only_a, **only_b; /* names of metrics that the other run has not */
    size_t only_a_count, only_b_count;
};

/* The metrics must outlive it. */
void compare_boots(struct boot_group a, struct boot_group b,
                   const struct compare_settings *settings, struct compare *compare);
void compare_free(struct compare *compare);

/* Are the row's values compared as two samples: by their order, and Cliff's delta? */
bool compare_is_sampled(const struct compare_row *row);

/* Is the name asked for: it is the pattern itself, or matches it? */
bool compare_is_wanted(const char *pattern, const char *name);

/* What differs between the runs: kind of time, plan, image, machine, except what changes with every
 * boot; and what benches of both found out, as "BENCH NAME": which disk they read. A missing text
 * is NULL. */
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
void compare_differences_free(struct compare_differences *differences);
