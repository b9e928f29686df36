/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exports the traces of one pass of a bench, all parts one after the other, for other programs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/base/output_file.h"
#include "tools/export/perfetto_writer.h"
#include "tools/run/run.h"

/*
 * The files of a Perfetto trace. Viewers load about 100 MB at once, so a larger trace is split into
 * pieces FILE-1, FILE-2 and so on, each a trace by itself. Either all files appear or none.
 * Standard output, a device and a pipe take one piece of any size.
 */

#define PIECE_BYTES_DEFAULT UINT64_C(100000000)
#define PIECE_BYTES_MIN     UINT64_C(1000000)
/* room after the end of a piece for its last packet and the ends of open slices, in bytes */
#define PIECE_REST 262144

struct perfetto_piece {
    char *path;
    struct output_file file; /* stream closed for all pieces except the last */
};

struct perfetto_pieces {
    const char *path; /* path of a trace in one piece */
    uint64_t limit;   /* size in bytes from which on the next piece begins; UINT64_MAX: one piece */
    struct perfetto_piece *item;
    size_t count, capacity;
};

/* Opens the first piece. `path` NULL or "-" is standard output; `most` is the size of a piece in
 * bytes, at least PIECE_BYTES_MIN. Returns false with a line in `error` on failure. */
bool perfetto_pieces_open(struct perfetto_pieces *pieces, const char *path, uint64_t most,
                          char error[OUTPUT_FILE_ERROR_MAX]);
/* Returns the stream of the last piece. */
FILE *perfetto_pieces_stream(const struct perfetto_pieces *pieces);
/* Ends the last piece and opens the next one. Returns NULL with a line in `error` on failure. */
FILE *perfetto_pieces_next(struct perfetto_pieces *pieces, char error[OUTPUT_FILE_ERROR_MAX]);
/* Moves all files into place. Returns false with a line in `error` on failure. Frees `pieces` in
 * any case. */
bool perfetto_pieces_commit(struct perfetto_pieces *pieces, char error[OUTPUT_FILE_ERROR_MAX]);
/* Drops all pieces. */
void perfetto_pieces_discard(struct perfetto_pieces *pieces);

#define TRACE_EXPORT_ERROR_MAX 512

/* Counts of what was written and of what was missing. */
struct trace_export_counts {
    uint64_t events;
    uint64_t packets;   /* lost on the line or damaged */
    uint64_t discarded; /* events that found no room in the trace buffer, or were overwritten */
};

/* All exports return false with one line in `error` if packets cannot be read, if stamps of one
 * part lie before those of an earlier part or are impossibly large, or if nothing can be written.
 * For `out`, ferror() reports a failed write. They stop and return false with an empty `error` when
 * interrupt_seen(). All except the last need the rate of the TSC: run->verdict.hz must not be 0. */

/* Writes a CTF 1.8 trace (ctf_writer.h) to `directory`, which must exist and be empty. */
bool trace_export_ctf(const struct run *run, const struct run_bench *bench, const char *directory,
                      struct trace_export_counts *counts, char error[TRACE_EXPORT_ERROR_MAX]);

/* Writes the bench to a Perfetto trace that may hold other benches as well (perfetto_trace.h); this
 * one is number `index`, from 0. `writer` writes to the last of the pieces and to further ones;
 * `pieces` NULL: there is one piece. */
bool trace_export_perfetto(const struct run *run, const struct run_bench *bench,
                           struct perfetto_writer *writer, struct perfetto_pieces *pieces,
                           uint32_t index, struct trace_export_counts *counts,
                           char error[TRACE_EXPORT_ERROR_MAX]);

/* Writes the events as events.def defines them: bench, pass, time, TSC, with `cpus` the processor,
 * name, fields. Writes no heading. */
bool trace_export_csv(const struct run *run, const struct run_bench *bench, FILE *out, bool cpus,
                      struct trace_export_counts *counts, char error[TRACE_EXPORT_ERROR_MAX]);
