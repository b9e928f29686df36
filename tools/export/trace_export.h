/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The traces of one pass of a bench, all parts one behind the other, in a form for others.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/base/output_file.h"
#include "tools/export/perfetto_writer.h"
#include "tools/run/run.h"

/*
 * The files of a Perfetto trace: viewers load some 100 MB at once. A trace that is larger goes into
 * pieces FILE-1, FILE-2 and so on, each a trace by itself. They appear together, or none does.
 * Standard output, a device and a pipe take one piece of any size.
 */

#define PIECE_BYTES_DEFAULT UINT64_C(100000000)
#define PIECE_BYTES_MIN     UINT64_C(1000000)
/* What a piece may have beyond where it ends: the last packet, and the ends of open slices. */
#define PIECE_REST 262144

struct perfetto_piece {
    char *path;
    struct output_file file; /* of all but the last the stream is closed */
};

struct perfetto_pieces {
    const char *path; /* of a trace in one piece */
    uint64_t limit;   /* bytes from which on the next piece begins; UINT64_MAX: none does */
    struct perfetto_piece *item;
    size_t count, capacity;
};

/* Opens the first piece; `path` NULL or "-" is standard output. `most`: bytes of a piece, at least
 * PIECE_BYTES_MIN. False with a line in `error`. */
bool perfetto_pieces_open(struct perfetto_pieces *pieces, const char *path, uint64_t most,
                          char error[OUTPUT_FILE_ERROR_MAX]);
/* Of the last piece. */
FILE *perfetto_pieces_stream(const struct perfetto_pieces *pieces);
/* Ends the last piece and opens the next. NULL with a line in `error`. */
FILE *perfetto_pieces_next(struct perfetto_pieces *pieces, char error[OUTPUT_FILE_ERROR_MAX]);
/* Puts all files in place. False with a line in `error`. Frees in any case. */
bool perfetto_pieces_commit(struct perfetto_pieces *pieces, char error[OUTPUT_FILE_ERROR_MAX]);
/* Drops them. */
void perfetto_pieces_discard(struct perfetto_pieces *pieces);

#define TRACE_EXPORT_ERROR_MAX 512

/* What was written, and what was not there to be. */
struct trace_export_counts {
    uint64_t events;
    uint64_t packets;   /* lost on the line or damaged */
    uint64_t discarded; /* events that found no room, or were overwritten */
};

/* All return false with one line in `error`: the packets cannot be read, stamps of one part lie
 * before those of an earlier one or are beyond all reason, or nothing can be written. For `out`,
 * ferror() reports a failed write. They stop, and return false with an empty `error`, when
 * interrupt_seen(). All but the last need the rate of the TSC: run->verdict.hz must not be 0. */

/* A CTF 1.8 trace in `directory`, which exists and is empty: ctf_writer.h. */
bool trace_export_ctf(const struct run *run, const struct run_bench *bench, const char *directory,
                      struct trace_export_counts *counts, char error[TRACE_EXPORT_ERROR_MAX]);

/* Into a Perfetto trace that holds other benches as well, this one is number `index`, from 0:
 * perfetto_trace.h. `writer` writes to the last of the pieces, and to further ones;
 * `pieces` NULL: there is one. */
bool trace_export_perfetto(const struct run *run, const struct run_bench *bench,
                           struct perfetto_writer *writer, struct perfetto_pieces *pieces,
                           uint32_t index, struct trace_export_counts *counts,
                           char error[TRACE_EXPORT_ERROR_MAX]);

/* Events of ours as events.def has them: bench, pass, TSC, name, fields. Without a heading. */
bool trace_export_csv(const struct run *run, const struct run_bench *bench, FILE *out,
                      struct trace_export_counts *counts, char error[TRACE_EXPORT_ERROR_MAX]);
