/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output files that appear complete or not at all (partial_file.h), and a pager for standard
 * output. A device, a pipe and standard output are written directly.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tools/base/partial_file.h"

#define OUTPUT_FILE_ERROR_MAX PARTIAL_FILE_ERROR_MAX

struct output_file {
    FILE *stream;
    const char *path; /* path as given; NULL: standard output */
    /* the unfinished file; not begun if the output is written directly */
    struct partial_file partial;
};

/* Opens an output file. `path` must outlive it; NULL or "-" means standard output. Returns false
 * with one line in `error`. */
bool output_file_open(struct output_file *file, const char *path,
                      char error[OUTPUT_FILE_ERROR_MAX]);
/* Puts the file in place if all writes succeeded. Otherwise returns false with one line in `error`,
 * and leaves no file. */
bool output_file_commit(struct output_file *file, char error[OUTPUT_FILE_ERROR_MAX]);
/* Flushes a stream. Returns false with errno set if this or an earlier write failed. If standard
 * output is a pipe whose reader has gone, such as head, the program ends silently by SIGPIPE, as
 * other programs do. If that reader was the pager, this is not an error. */
bool output_file_finish(FILE *stream);
/* Drops the output; an existing file stays unchanged. */
void output_file_discard(struct output_file *file);

/* The pager functions show long results on a terminal a page at a time, with $PAGER, or with less,
 * which exits by itself if everything fits on the screen. */

/* Turns the pager off for the rest of the program. */
void pager_forbid(void);

/* Sends further output to the pager if standard output is a terminal and a pager is available. An
 * empty PAGER or "cat" means no pager. Colours stay as on a terminal. */
void pager_start(void);

/* Waits until the pager exits. Call after the last result. */
void pager_finish(void);
