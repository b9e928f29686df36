/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Views of compared runs, for people and for programs: a table, JSON, a page.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tools/base/table.h"
#include "tools/judge/compare.h"
#include "tools/judge/limits.h"
#include "tools/present/metrics.h"
#include "tools/run/run.h"

struct compared_run {
    const char *path;
    struct run run;
    struct metrics metrics;
    bool valid;
    struct run_texts reasons; /* reasons why it is not valid */
    bool limited;             /* the limits apply to it */
    struct limit_results results;
};

#define COMPARED_FORCED "compared because of --force: "

/* Compared runs. Either the first run is `a` and each other run is compared with it, or the first
 * `a_group` runs are group a and the others are group b. */
struct compared {
    struct compare_settings settings;
    struct compared_run *runs;
    size_t count;
    size_t a_group;          /* number of runs in group a; 0: no groups */
    char *a_label, *b_label; /* labels of groups: "3 boots: a1.db a2.db a3.db"; otherwise NULL */
    /* compared_pairs() comparisons; [i] compares runs[i + 1] with runs[0] */
    struct compare *compares;
    struct compare_differences *differences;
    /* what was compared only because of --force, and why it should not be, after COMPARED_FORCED;
     * and boots that were given twice */
    struct run_texts warnings;
};

/* Are all verdicts same, better, unclear or changed, all limits kept and all runs valid? */
bool compared_is_good(const struct compared *compared);

/* Return the number of comparisons, and the names of the sides of one. */
size_t compared_pairs(const struct compared *compared);
const char *compared_a(const struct compared *compared);
const char *compared_b(const struct compared *compared, size_t index);

/* Returns the index of the first run of b. */
size_t compared_b_first(const struct compared *compared, size_t index);

#define COMPARED_VALUE_MAX 64
/* Writes a value with its unit; instructions and counts have none. Returns `text`. */
const char *compared_value(double value, const char *unit, char text[COMPARED_VALUE_MAX]);

/* Which end of the interval of a change */
enum compared_bound { COMPARED_MIDDLE, COMPARED_LOW, COMPARED_HIGH };
/* Writes the change from a to b: as a part of a's value, but in the unit if that is 0, for a share
 * of time, and for instructions. Returns `text`, or NULL if it is unknown. */
const char *compared_change(const struct compare_row *row, enum compared_bound bound,
                            char text[COMPARED_VALUE_MAX]);

/* Returns the comparison in one sentence for a reader who knows no metric: what changed most, from
 * which value to which, and on how many of the questions (metrics). SMIs, then gaps, come first.
 * The caller frees it. */
char *compared_sentence(const struct compare *compare);

/* Returns what so few boots cannot show, and how many do; NULL: nothing to say. The caller frees
 * it. */
char *compared_boots(const struct compare *compare, double alpha);

/* Describes the order of the boots of groups; NULL: there are none, or their order is irrelevant.
 */
const char *compared_order(const struct compare *compare);

/* Writes a summary such as "2 worse, 1 better, 40 same, 5 unclear". Returns `text`. */
#define COMPARED_SUMMARY_MAX 160
const char *compared_summary(const struct compare *compare, char text[COMPARED_SUMMARY_MAX]);

/* Writes the threshold of all metrics but shares: "1 % of a's median", or "5 instructions". Returns
 * `text`. */
#define COMPARED_THRESHOLD_MAX 64
const char *compared_threshold(const struct compare_settings *settings,
                               char text[COMPARED_THRESHOLD_MAX]);

/* Prints each warning on separate lines, marked FORCED or COPY. */
void compared_print_warnings(FILE *out, const struct compared *compared);
/* Prints the comparisons in 80 columns; without `all` only what is worse, better, changed or
 * differs. */
void compared_print(FILE *out, const struct compared *compared, bool all);

/*
 * Writes the comparisons as JSON:
 *
 * {"schema": "tare compare", "version": 2, "threshold", "threshold_stolen_ppm",
 * "threshold_instructions", "alpha", "warnings": [text], "runs": [{"file", "kind", "time", "valid",
 * "reasons": [text], "limits": [{"line", "limit", "metric", "kept", "value", "message"}]}],
 *     "comparisons": [{"a": file, "b": file, "a_boots": [file], "b_boots": [file], "one_boot",
 *         "order", "tests_by_boots", "least_p", "boots_needed", "lengths": unit,
 *         "summary": {"worse", "better", "changed", "differs", "unclear", "same"},
 *         "differences": [{"what", "a", "b"}], "only_a": [name], "only_b": [name],
 *         "metrics": [{"name", "unit", "verdict", "why", "by_tail", "exact",
 *             "by_boots", "a": {"boots", "n", "median", "medians": [of each boot]},
 *             "b": the same,
 *             "shift", "shift_low", "shift_high", "p", "p_corrected", "delta", "ks", "ks_p",
 *             "inflation", "tail": {"quantile", "a", "a_low", "a_high", "b", "b_low", "b_high",
 *                 "p", "p_corrected"}}]}]}
 *
 * Shifts are fractions of a's median (of its quantile if by_tail), not per cent. If by_boots, a
 * median is the mean of the medians of the boots, and "delta" and "ks" compare these. "one_boot"
 * means that each side has one boot, so that the variation between boots is unknown. "order" is
 * "drawn", "turns" or "unknown" (enum boot_order); "least_p" is the smallest probability that
 * groups of these sizes can have, "boots_needed" how many boots of each decide (compare.h). Unknown
 * values and infinite bounds are null; "limits" and "tail" are left out if there are none.
 */
void compared_json(FILE *out, const struct compared *compared);

/* Writes the comparisons as an HTML page. Returns false with errno set on failure. */
bool compared_page(FILE *out, const struct compared *compared);
