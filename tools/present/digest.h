/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one line shows of a bench: its main figure, or why there is none. A list of benches has
 * these; the tables of a bench show more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/present/metrics.h"
#include "tools/present/view.h"

#define DIGEST_TEXT_MAX 160

struct digest {
    char what[METRIC_NAME_MAX]; /* the main figure; "": there is none */
    bool has_n;
    uint64_t n;
    /* As a person reads them: instructions in exact time, else with a unit. "": missing. */
    char p50[AMOUNT_MAX], p99[AMOUNT_MAX], max[AMOUNT_MAX];
    /* In place of n and quantiles: a reason, or that nothing was found. "": these stand. */
    char text[DIGEST_TEXT_MAX];
};

/* `metrics` are those of the run. */
void digest_of(const struct view *view, const struct metrics *metrics,
               const struct run_bench *bench, struct digest *digest);

/* An amount for a digest: a length in instructions with its thousands set apart, else a duration.
 */
void digest_ticks(const struct view *view, double ticks, char text[AMOUNT_MAX]);
