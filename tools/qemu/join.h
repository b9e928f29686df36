/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins the rows of the plugin with the run that they belong to: each series of lengths between two
 * readings of the TSC gets series of counts, as the events of a processor have them.
 *
 * In exact time the TSC is ticks per instruction times instructions, and a constant. The facts
 * `began` and `ended` of the benches have the TSC of two rows each: the one constant for which all
 * of them are rows places every row. Of an idle loop whose begin is known (fact idle_origin) each
 * sample's rows are then known; of other series they are searched (match.h) between `began` and
 * `ended` of the bench.
 *
 * Of phases of an application there are facts EVENT.PHASE: what was counted from the
 * begin of each to its end.
 *
 * What cannot be joined is absent, with the reason. Nothing is guessed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/qemu/rows.h"
#include "tools/run/run.h"

struct join_counts {
    size_t joined; /* series */
    size_t absent; /* series of ticks without counts */
};

/* False, with one line in `error`, where the rows are not of this run. */
bool join_rows(struct run *run, const struct rows *rows, struct join_counts *counts,
               char error[ROWS_ERROR_MAX]);
