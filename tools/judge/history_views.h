/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A judged history for people, for programs and for CI servers.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tools/judge/ci_report.h"
#include "tools/judge/history.h"

/* In 80 columns; without `all` no small changes. */
void history_print(FILE *out, const struct history *history, bool all);

/*
 * {"schema": "tare compare --history", "version": 1, "alpha", "threshold", "left_out": [text],
 *  "summary": {"worse", "better", "changed", "small", "failing"},
 *  "groups": [{"time", "machine", "exact", "searched", "least", "recent",
 *      "runs": [{"file", "number", "date"}],
 *      "changes": [{"metric", "unit", "verdict", "recent", "undone", "fails", "from": file,
 *          "at": file, "date",
 *          "before", "after", "shift", "p", "also": ["image", "firmware", "emulator", "plan"]}]}]}
 *
 * `shift` is a part of `before`, not per cent. What is not known is null: a threshold that was not
 * given, an infinite shift, p where no chance is in it.
 */
void history_json(FILE *out, const struct history *history);

/* A suite for each group, with a case for each metric: a worse change that fails (history.h)
 * failed, too few runs skipped, anything else passed with its changes as message. */
void history_cases_add(struct ci_report *report, const struct history *history);

/*
 * Figures of runs of one group for programs that watch figures over time; the history is in order
 * (history_order()).
 *
 * Bencher Metric Format (bencher.dev): {METRIC: {MEASURE: {"value", "lower_value",
 * "upper_value"}}}. MEASURE is the unit: "latency" of nanoseconds, else the unit's letters and
 * digits, such as "instructions", "mb-s"; with -p99 and -max behind it where they are known. The
 * kind of time stands in front of it, except of real time and of instructions. Of one run the
 * bounds are those of the 95 % interval. Several runs are taken as boots of one image: the median
 * of their figures, the least and the greatest; of maxima the greatest. Takes settings.spread.
 */
void history_bencher(FILE *out, const struct history *history);
