/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that is there whole or not at all (partial_file.h). What is no plain file (a device, a
 * pipe) is written as it is, and so is standard output.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tools/base/partial_file.h"

#define OUTPUT_FILE_ERROR_MAX PARTIAL_FILE_ERROR_MAX

struct output_file {
    FILE *stream;
    const char *path;            /* as it was given; NULL: standard output */
    struct partial_file partial; /* not begun: written as it is */
};

/* `path` must outlive it; NULL or "-" is standard output. False with one line in `error`. */
bool output_file_open(struct output_file *file, const char *path,
                      char error[OUTPUT_FILE_ERROR_MAX]);
/* Puts it in place; without a failure of any write before. False with one line in `error`; nothing
 * is left then. */
bool output_file_commit(struct output_file *file, char error[OUTPUT_FILE_ERROR_MAX]);
/* Writes out what a stream holds; false with errno set where a write failed, now or before. Where
 * standard output is a pipe whose reader has seen enough, as head has, the program ends as others
 * do, by SIGPIPE and in silence; where that reader is the pager, all is well. */
bool output_file_finish(FILE *stream);
/* Leaves what was there. */
void output_file_discard(struct output_file *file);
