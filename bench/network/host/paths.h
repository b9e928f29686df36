/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paths of the network's benches: which NICs, how packets came in, what was sent and lost.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/present/view.h"
#include "tools/run/run.h"
#include "tools/stats/statistics.h"

#define NETWORK_PATHS 4

extern const char *const network_paths[NETWORK_PATHS]; /* loopback pair remote local */

/* Has the bench any fact, text or series of the path? */
bool path_is_there(const struct run_bench *bench, const char *path);
/* Why it has none; NULL: it gives no reason. */
const char *path_absence(const struct run_bench *bench, const char *path);
/* Fact "NAME.PATH"; false: there is none. */
bool path_fact(const struct run_bench *bench, const char *name, const char *path, int64_t *value);
/* Text "NAME.PATH" that the bench found out; NULL: it found none. */
const char *path_found(const struct run_bench *bench, const char *name, const char *path);
/* "pair: wire0,wire1 (modelled wire), by timer, 1.000 us a frame and 8.000 ns a byte": in one line.
 */
void path_what(const struct run_bench *bench, const char *path, char *text, size_t size);

/* The table of all paths that are there, and the laws of wires. */
void view_paths(const struct view *view, const struct run_bench *bench);
/* Is the fact one that view_paths() prints? */
bool path_shows_fact(const struct run_fact *fact);

#define NETWORK_NAME_MAX 64

/* A cell of a table: instructions of virtual time where time is exact, else a duration, else ticks;
 * "-" of what is not finite. */
void network_cell(struct table *table, const struct view *view, double ticks);
/* Cells for n, min, median, p99 where enough samples lie above it, and max. */
void network_cells(struct table *table, const struct view *view,
                   const struct statistics *statistics);
/* Bytes of a payload or message: "4 KiB" of a whole number of KiB, else "1472 B". */
const char *network_bytes(int64_t bytes, char text[AMOUNT_MAX]);
/* "instructions of virtual time", "time", ...: what network_cell() prints. */
const char *network_length_note(const struct view *view);
