/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run file: a run as one SQLite database, for `tare` and for SQL queries by anyone.
 *
 * The same run gives the same bytes. Samples are BLOBs of int64, stored with their summary. Column
 * `missing` names the samples that did not arrive ("3012..5997,7000..7000"), which are not in the
 * BLOB.
 *
 * The packets of a trace that arrived are a BLOB with their contents in the image's memory
 * (kernel/trace/packet.h), with its CRC-32C; `claimed` is the number of bytes that should exist.
 * BLOBs are folded (folded.h), and long ones are stored in pieces (sqlite_rows.h). Neither writing
 * nor reading needs memory for a whole BLOB: a run that was read keeps the file open until
 * run_free().
 *
 * `expect` holds what was expected of a bench's series before it ran: `instructions` in exact time,
 * `value` in `unit` otherwise, and the terms of both sums.
 */
#pragma once

#include <stdbool.h>

#include "tools/run/run.h"
#include "tools/store/file_kind.h"
#include "tools/store/run_tables.h"

#define RUNFILE_SCHEMA_VERSION 9
/* Schema of a file whose BLOBs are not folded, and of one that has them in pieces as well. */
#define RUNFILE_SCHEMA_PLAIN  7
#define RUNFILE_SCHEMA_PIECES 8
#define RUNFILE_ERROR_MAX     512

/* Writes `path` by way of `path`.tmp. On failure returns false; `error` then has one line that
 * names the file and the cause, and `path` is unchanged. A device or a FIFO is not replaced. */
bool runfile_write(const char *path, struct run *run, char error[RUNFILE_ERROR_MAX]);
/* The same without folding: samples and packets as they are, for SQL. */
bool runfile_write_plain(const char *path, struct run *run, char error[RUNFILE_ERROR_MAX]);

/* Writes the rows that `produce` adds to the sink. If `produce` returns false, writing ends; it
 * sets sink->error to the reason, or leaves it empty if the sink failed. */
typedef bool runfile_producer(void *context, struct row_sink *sink);
bool runfile_write_rows(const char *path, runfile_producer *produce, void *context,
                        char error[RUNFILE_ERROR_MAX]);

/* Reads `path` into a run initialised by run_init(). Returns false, with one line in `error`, if it
 * is not a run file, is damaged, or has another schema. */
bool runfile_read(const char *path, struct run *run, char error[RUNFILE_ERROR_MAX]);
