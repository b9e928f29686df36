/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output file that appears complete or not at all (partial_file.h). A device, a pipe and
 * standard output are written directly. And standard output by way of a pager.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tools/base/partial_file.h"

#define OUTPUT_FILE_ERROR_MAX PARTIAL_FILE_ERROR_MAX

struct output_file {
    FILE *stream;
    const char *path;            /* as given; NULL: standard output */
    struct partial_file partial; /* not begun: written directly */
};

/* `path` must outlive it; NULL or "-" is standard output. False with one line in `error`. */
bool output_file_open(struct output_file *file, const char *path,
                      char error[OUTPUT_FILE_ERROR_MAX]);
/* Puts the file in place if all writes succeeded. False with one line in `error`, and no file left.
 */
bool output_file_commit(struct output_file *file, char error[OUTPUT_FILE_ERROR_MAX]);
/* Flushes a stream; false with errno set if a write failed, now or before. If standard output is a
 * pipe whose reader has gone, such as head, the program ends silently by SIGPIPE, as others do. If
 * that reader was the pager, this is no error. */
bool output_file_finish(FILE *stream);
/* Drops the output; an existing file stays unchanged. */
void output_file_discard(struct output_file *file);

/* Long results on a terminal, a page at a time: by PAGER, or by less, which exits by itself if all
 * fits on the screen. */

/* No pager from now on. */
void pager_forbid(void);

/* Sends further output to the pager, if standard output is a terminal and there is a pager; PAGER
 * empty or "cat" means none. Colours stay as for a terminal. */
void pager_start(void);

/* Call after the last result: waits until the pager exits. */
void pager_finish(void);
