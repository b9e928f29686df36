/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of the summary on the screen (summary.h): a bench each, its state, and the first series
 * that it publishes in its own unit, without the costs of measuring ("empty...") and the times at
 * which something was found ("..._time"). Names are copied; samples are not.
 *
 * Pure.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/run/bench.h"

#define SUMMARY_LINE_MAX 160

/* A row for this bench. Beyond 64 rows, benches are counted and have no row. */
void summary_row_begin(const struct bench *bench);
/* A series of the bench of the last row; of another bench it is passed over. `name` may change
 * after the call; the samples must stay as they are until the run is over. */
void summary_row_series(const struct bench *bench, const char *name, const char *unit,
                        const int64_t *samples, size_t count);
/* Of several states of the last row, the worst is kept. */
void summary_row_end(const struct bench *bench, enum bench_state state);

/* Benches that began, with a row or without. */
size_t summary_benches(void);
/* Rows that there are. */
size_t summary_rows(void);
/* Row `index` < summary_rows() as text: "chase random.4k.wb  OK  n min median max tick". */
void summary_row_text(size_t index, char line[SUMMARY_LINE_MAX]);
/* "37 benches 32 OK 5 SKIP". */
void summary_states_text(char line[SUMMARY_LINE_MAX]);
