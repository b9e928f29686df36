/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report's experiments beside runs (estimates.h), as tables and as JSON.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tools/base/table.h"
#include "tools/run/run.h"

#define ESTIMATES_RUNS_MAX 6 /* columns of one table */

struct estimates_run {
    const char *path;
    const struct run *run;
    bool valid;
};

/* Of one run: report, estimate, result, difference, n and spread. The caller prints or frees it. */
void estimates_table(struct table *table, const struct run *run);
/* For a terminal of 100 columns. One run: estimate, result, difference, n and spread; several: a
 * column of results each. `why` adds what each figure is made of and where it comes from. */
void view_estimates(FILE *out, const struct estimates_run *runs, size_t count, bool why);
/* One JSON object. */
void estimates_json(FILE *out, const struct estimates_run *runs, size_t count);
