/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One run beside another: a verdict on each metric that both have.
 *
 * Worse or better is what holds twice: the chance of such a difference without any is at most
 * `alpha`, by Mann and Whitney and corrected by Holm for all metrics that are compared; and the
 * interval of the shift (Hodges and Lehmann, 95 %) lies wholly beyond the practical threshold, a
 * part of a's median. Same is what has its interval wholly within the threshold. All else is
 * unclear. Where the median shows nothing, the tail is compared in the same way (struct
 * two_tails). Rates of sparse events are compared by Poisson's distribution. Shares of time, as
 * stolen time is, are compared by the difference of the means of their parts (Welch), against an
 * absolute threshold in ppm of the time: as a part of a sample, a hundred times as much is nothing.
 * What never varies, in either run, is compared as it is.
 *
 * Lengths are in instructions where time is exact in both runs, else in nanoseconds, or ticks where
 * the rate of a TSC is not known.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
    COMPARE_UNCLEAR,
    COMPARE_SAME,
    COMPARE_VERDICTS,
};
/* "worse", "better", "changed", "unclear", "same". */
const char *compare_verdict_name(enum compare_verdict verdict);

struct compare_row {
    char *name; /* the metric's; "NAME cold"; "NAME rate" */
    const struct metric *a, *b;
    const char *unit;
    bool is_rate;  /* a_median and b_median are rates, and there are no values */
    bool is_share; /* they are the shares of the whole runs, and the values those of their parts */
    size_t a_count, b_count;
    double *a_values, *b_values; /* sorted, in the unit */
    double a_median, b_median;
    bool exact; /* neither run's values vary, or in exact time both have the same: no chance is in
                 * it */

    /* (b - a) as a part of a's median, positive where b is greater; INFINITY where a's is 0. By
     * tail: of the quantiles. */
    double shift;
    bool has_interval;
    double low, high;
    bool by_tail; /* the verdict is of the tail */

    /* Of a share b - a in its unit, with low and high as they are judged; else NAN. */
    double difference, difference_low, difference_high;

    struct two_samples samples; /* where compare_is_sampled() */
    struct two_rates rates;
    double inflation; /* of correlated values; 1: none */
    bool has_tails;
    struct two_tails tails;
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
    const char **only_a, **only_b; /* names of metrics that the other run has not */
    size_t only_a_count, only_b_count;
};

/* The metrics must outlive it. */
void compare_metrics(const struct metrics *a, const struct metrics *b,
                     const struct compare_settings *settings, struct compare *compare);
void compare_free(struct compare *compare);

/* Are the row's values compared as two samples: by their order, and Cliff's delta? */
bool compare_is_sampled(const struct compare_row *row);

/* Is the name asked for: it is the pattern itself, or matches it? */
bool compare_is_wanted(const char *pattern, const char *name);

/* What differs between the runs: kind of time, plan, image, machine, except what changes with every
 * boot. A missing text is NULL. */
struct compare_difference {
    const char *what;
    const char *a, *b;
};
struct compare_differences {
    struct compare_difference *item;
    size_t count, capacity;
};
void compare_runs(const struct run *a, const struct run *b,
                  struct compare_differences *differences);
void compare_differences_free(struct compare_differences *differences);
