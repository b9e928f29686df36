/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of a Perfetto trace: viewers load some 100 MB at once. A trace that is larger goes into
 * pieces FILE-1, FILE-2 and so on, each a trace by itself. They appear together, or none does.
 * Standard output, a device and a pipe take one piece of any size.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/base/output_file.h"

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
