/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output file that appears complete or not at all (partial_file.h). A device, a pipe and
 * standard output are written directly.
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
