/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run file: a run as one SQLite database, for `tare` and for anybody's SQL.
 *
 * The same run gives the same bytes. Samples are BLOBs of int64, little endian, beside their
 * summary; `missing` names the samples that did not arrive ("3012..5997,7000..7000"), which are
 * not in the BLOB.
 *
 * The packets of a trace that arrived are a BLOB as they were in the image's memory
 * (kernel/trace/packet.h), with the CRC-32C of it; `claimed` is how many bytes there should be.
 * Long BLOBs are in pieces (sqlite_rows.h). Neither writing nor reading needs memory for it: a run
 * that was read has the file open until run_free().
 *
 * `expect` holds what was expected of a bench's series before it ran: `instructions` where time is
 * exact, `value` in `unit` elsewhere, and what both are the sum of.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/store/file_kind.h"
#include "tools/store/run_tables.h"

#define RUNFILE_SCHEMA_VERSION 7
/* Of a file with BLOBs in pieces (sqlite_rows.h); else it is the same. */
#define RUNFILE_SCHEMA_PIECES 8
#define RUNFILE_ERROR_MAX     512

/* Writes `path` by way of `path`.tmp. False on failure; `error` then holds one line that names the
 * file and the cause, and `path` is as it was. A device or a FIFO is not replaced. */
bool runfile_write(const char *path, struct run *run, char error[RUNFILE_ERROR_MAX]);

/* The same of rows that `produce` adds to the sink; false of it ends the writing, with a reason in
 * sink->error or none where the sink failed. */
typedef bool runfile_producer(void *context, struct row_sink *sink);
bool runfile_write_rows(const char *path, runfile_producer *produce, void *context,
                        char error[RUNFILE_ERROR_MAX]);

/* Reads `path` into a run made by run_init. False, with one line in `error`, where it is no run
 * file, damaged, or of another schema. */
bool runfile_read(const char *path, struct run *run, char error[RUNFILE_ERROR_MAX]);
