/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report's experiments beside runs (seed3.h), as tables and as JSON.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tools/base/table.h"
#include "tools/run/run.h"

#define SEED3_RUNS_MAX 6 /* columns of one table */

struct seed3_run {
    const char *path;
    const struct run *run;
    bool valid;
};

/* Of one run: report, estimate, result, difference, n and spread. The caller prints or frees it. */
void seed3_table(struct table *table, const struct run *run);
/* For a terminal of 100 columns. One run: estimate, result, difference, n and spread; several: a
 * column of results each. `why` adds what each figure is made of and where it comes from. */
void view_seed3(FILE *out, const struct seed3_run *runs, size_t count, bool why);
/* One JSON object. */
void seed3_json(FILE *out, const struct seed3_run *runs, size_t count);
