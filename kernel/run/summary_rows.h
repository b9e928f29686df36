/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of the summary on the screen (summary.h): a bench each, its state, and its main series
 * (bench.h). Where it names none, that is the first that it publishes in its unit and that has a
 * figure of what it measured. Names are copied; samples are not.
 *
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/run/bench.h"
#include "kernel/run/finding.h"
#include "kernel/screen/page.h"

#define SUMMARY_LINE_MAX 240
#define SUMMARY_ROWS_MAX 128

/* A row for this bench. Beyond SUMMARY_ROWS_MAX rows, benches are counted and have no row. */
void summary_row_begin(const struct bench *bench);
/* A series of the bench of the last row; of another bench it is passed over. `name` may change
 * after the call; the samples must stay as they are until the run is over. */
void summary_row_series(const struct bench *bench, const char *name, const char *unit,
                        const int64_t *samples, size_t count);
/* Of several states of the last row, the worst is kept, with its reason, which is copied. */
void summary_row_end(const struct bench *bench, enum bench_state state, const char *reason);

/* An exception ended the run: if the last row's bench had not ended, it has now, as CRASH. False:
 * none ran. */
bool summary_row_crash(void);

/* Benches that began, with a row or without. */
size_t summary_benches(void);
/* Rows that there are. */
size_t summary_rows(void);
/* Row `index` < summary_rows(): its figures by this clock. */
void summary_row(size_t index, const struct finding_source *clock, struct page_bench *row);
/* "32 OK  5 SKIP  1 FAIL: gap"; the names of those that did worse than SKIP. Returns the worst
 * state. */
enum bench_state summary_states_text(char line[SUMMARY_LINE_MAX]);
