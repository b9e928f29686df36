/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paths of the network benches: which NICs, how packets were received, what was sent and lost.
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

/* Returns true if the bench has a fact or series of the path. */
bool path_is_there(const struct run_bench *bench, const char *path);
/* Returns why the path is absent, or NULL if the bench gives no reason. */
const char *path_absence(const struct run_bench *bench, const char *path);
/* Reads fact "NAME.PATH". Returns false if there is none. */
bool path_fact(const struct run_bench *bench, const char *name, const char *path, int64_t *value);
/* Returns text "NAME.PATH" that the bench published, or NULL if there is none. */
const char *path_found(const struct run_bench *bench, const char *name, const char *path);
/* Writes one line such as "pair: wire0,wire1 (simulated link), by timer, 1.000 us a frame and 8.000
 * ns a byte". */
void path_what(const struct run_bench *bench, const char *path, char *text, size_t size);

/* Prints the table of all paths that exist, and the timing models of simulated links. */
void view_paths(const struct view *view, const struct run_bench *bench);
/* Returns true if view_paths() prints the fact. */
bool path_shows_fact(const struct run_fact *fact);

#define NETWORK_NAME_MAX 64

/* Adds a cell: instructions of virtual time if time is exact, otherwise a duration, or ticks if
 * their length is unknown; "-" if the value is not finite. */
void network_cell(struct table *table, const struct view *view, double ticks);
/* Adds cells for n, min, median, p99 if enough samples lie above it, and max. */
void network_cells(struct table *table, const struct view *view,
                   const struct statistics *statistics);
/* Writes the bytes of a payload or message: "4 KiB" for a whole number of KiB, otherwise "1472 B".
 */
const char *network_bytes(int64_t bytes, char text[AMOUNT_MAX]);
/* Returns what network_cell() prints: "instructions of virtual time", "time", ... */
const char *network_length_note(const struct view *view);
