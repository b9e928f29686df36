/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of the summary on the screen (summary.h): one for each bench, with its state and its
 * main series (bench.h). If the bench names no main series, it is the first one published in the
 * bench's unit that has a figure of what was measured. Names are copied; samples are not.
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

/* Adds a row for this bench. From SUMMARY_ROWS_MAX rows on, benches are counted but have no row. */
void summary_row_begin(const struct bench *bench);
/* Takes a series of the bench of the last row; series of other benches are ignored. `name` may
 * change after the call; the samples must stay unchanged until the run is over. */
void summary_row_series(const struct bench *bench, const char *name, const char *unit,
                        const int64_t *samples, size_t count);
/* Sets the state of the last row. If this is called several times, the worst state is kept, with
 * its reason, which is copied. */
void summary_row_end(const struct bench *bench, enum bench_state state, const char *reason);

/* Call if an exception ended the run: if the bench of the last row has not ended, it ends as CRASH.
 * Returns false if no bench was running. */
bool summary_row_crash(void);

/* Returns the number of benches that began, with or without a row. */
size_t summary_benches(void);
/* Returns the number of rows. */
size_t summary_rows(void);
/* Fills *row with row `index` < summary_rows(); converts its figures by this clock. */
void summary_row(size_t index, const struct finding_source *clock, struct page_bench *row);
/* Writes a text such as "32 OK  5 SKIP  1 FAIL: gap", which names the benches that did worse than
 * SKIP. Returns the worst state. */
enum bench_state summary_states_text(char line[SUMMARY_LINE_MAX]);
