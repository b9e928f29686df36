/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the line of a bench in a list of benches: its main figure, or the reason why there is none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/present/metrics.h"
#include "tools/present/view.h"

#define DIGEST_TEXT_MAX 160

struct digest {
    char what[METRIC_NAME_MAX]; /* name of the main figure; "": there is none */
    uint64_t n;
    /* as printed: instructions in exact time, otherwise with a unit; "": missing */
    char p50[AMOUNT_MAX], p99[AMOUNT_MAX], max[AMOUNT_MAX];
    /* shown instead of n and quantiles: a reason, or that nothing was found; "": n and quantiles
     * are shown */
    char text[DIGEST_TEXT_MAX];
};

/* Makes the line of a bench. `metrics` are those of the run. */
void digest_of(const struct view *view, const struct metrics *metrics,
               const struct run_bench *bench, struct digest *digest);

/* Writes what a modelled device took: "law 150.0 us + 662 instructions". In time that does not
 * count instructions, the rest is a duration. */
void digest_law(const struct view *view, double law_ns, double rest_ns, char text[DIGEST_TEXT_MAX]);
