/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins the plugin's rows with the run that they belong to: each series of lengths between two
 * readings of the TSC gets series of counts, like those of a processor's events.
 *
 * In exact time the TSC is ticks per instruction times instructions, plus a constant. The facts
 * `began` and `ended` of the benches have the TSC of two rows each. The only constant for which all
 * of these are rows places every row. For an idle loop whose start is known (fact idle_origin),
 * this gives the rows of each sample. For other series, the rows are searched (match.h) between
 * `began` and `ended` of the bench.
 *
 * Phases of an application have facts EVENT.PHASE: what was counted from the start of each phase to
 * its end.
 *
 * A bench with input events has series counted_at: the TSC, in ticks since the start of the trace's
 * first part, of each record of the trace that places an event. These are isr_entry of the handler
 * that read an event's last byte, input_done, and for each thread that took a message the first
 * queue_call after that. Series counted_at.EVENT have what was counted since `began` at these
 * times. Times are ascending; a record whose row is unknown has none.
 *
 * What cannot be joined is marked as missing, with the reason. Nothing is guessed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/qemu/rows.h"
#include "tools/run/run.h"

struct join_counts {
    size_t joined; /* number of series */
    size_t absent; /* number of series in ticks without counts */
};

/* Joins the rows with the run. Returns false, with one line in `error`, if the rows are not of this
 * run. */
bool join_rows(struct run *run, const struct rows *rows, struct join_counts *counts,
               char error[ROWS_ERROR_MAX]);
