/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs beside each other, for people and for machines: a table, JSON, a page.
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
    struct run_texts reasons; /* why it is not */
    bool limited;             /* the limits are for it */
    struct limit_results results;
};

/* The first run is `a`, each other is set against it. Or the first `a_group` runs are group a, the
 * others are group b. */
struct compared {
    struct compare_settings settings;
    struct compared_run *runs;
    size_t count;
    size_t a_group;           /* 0: no groups */
    char *a_label, *b_label;  /* of groups: "3 boots: a1.db a2.db a3.db"; else NULL */
    struct compare *compares; /* compared_pairs() of them; [i]: runs[i + 1] against runs[0] */
    struct compare_differences *differences;
    struct run_texts warnings; /* what was compared by --force, and why it should not be */
};

/* Are all verdicts same, better, unclear or changed, all limits kept and all runs valid? */
bool compared_is_good(const struct compared *compared);

/* How many comparisons there are, and what the sides of one are called. */
size_t compared_pairs(const struct compared *compared);
const char *compared_a(const struct compared *compared);
const char *compared_b(const struct compared *compared, size_t index);

/* The first run of b. */
size_t compared_b_first(const struct compared *compared, size_t index);

/* A cell: three or four digits of a figure, of a duration with its unit; other units stand above
 * the table. */
void compared_value(struct table *table, double value, const char *unit);

/* What is unknown with one boot a side. */
extern const char compared_one_boot[];

/* "2 worse, 1 better, 40 same, 5 unclear". */
#define COMPARED_SUMMARY_MAX 160
const char *compared_summary(const struct compare *compare, char text[COMPARED_SUMMARY_MAX]);

/* Each warning on its lines, marked FORCED. */
void compared_print_warnings(FILE *out, const struct compared *compared);
/* In 80 columns; without `all` only what is worse, better, changed or differs. */
void compared_print(FILE *out, const struct compared *compared, bool all);

/*
 * {"schema": "tare compare", "version": 1, "threshold", "alpha", "warnings": [text],
 *  "runs": [{"file", "kind", "time", "valid", "reasons": [text],
 *            "limits": [{"line", "limit", "metric", "kept", "value", "message"}]}],
 *  "comparisons": [{"a": file, "b": file, "a_boots": [file], "b_boots": [file], "one_boot",
 *      "lengths": unit,
 *      "summary": {"worse", "better", "changed", "differs", "unclear", "same"},
 *      "differences": [{"what", "a", "b"}], "only_a": [name], "only_b": [name],
 *      "metrics": [{"name", "unit", "verdict", "why", "by_tail", "exact",
 *          "by_boots", "freedom", "a": {"boots", "n", "median", "medians": [of each boot]},
 *          "b": the same,
 * "shift", "shift_low", "shift_high", "p", "p_holm", "delta", "ks", "ks_p", "inflation", "tail":
 * {"quantile", "a", "a_low", "a_high", "b", "b_low", "b_high", "p", "p_holm"}}]}]}
 *
 * Shifts are parts of a's median (of its quantile where by_tail), not per cent. Where by_boots, a
 * median is the mean of those of the boots, and "delta" and "ks" are of these. "one_boot": a side
 * has one, and how boots vary is unknown. What is not known
 * is null; "limits" and "tail" are left out where there are none. An infinite bound is
 * null.
 */
void compared_json(FILE *out, const struct compared *compared);

/* False with errno set. */
bool compared_page(FILE *out, const struct compared *compared);
