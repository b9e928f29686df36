/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures of runs of one group for programs that watch figures over time. The history is in order
 * (history_order()).
 */
#pragma once

#include <stdio.h>

#include "tools/judge/history.h"

/*
 * Bencher Metric Format (bencher.dev): {METRIC: {MEASURE: {"value", "lower_value",
 * "upper_value"}}}. MEASURE is the unit: "latency" of nanoseconds, else the unit's letters and
 * digits, such as "instructions", "mb-s"; with -p99 and -max behind it where they are known. The
 * kind of time stands in front of it, except of real time and of instructions. Of one run the
 * bounds are those of the 95 % interval. Several runs are taken as boots of one image: the median
 * of their figures, the least and the greatest; of maxima the greatest. Takes settings.spread.
 */
void history_bencher(FILE *out, const struct history *history);
