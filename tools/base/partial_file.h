/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file on its way: what will be PATH is written as PATH.tmp beside it, by one program at a time,
 * and put in place at the end. What a killed program left there is written over.
 */
#pragma once

#include <stdbool.h>

#define PARTIAL_FILE_ERROR_MAX 512

struct partial_file {
    const char *path; /* as it was given */
    char *name;       /* what to write to; NULL: not begun */
    int descriptor;   /* of `name`; keeps other programs out as long as it is open */
};

/* May `path` be replaced by a file: is it one, or not there? */
bool partial_file_is_possible(const char *path);

/* Is it the file of this descriptor, by whatever name? */
bool partial_file_is_open_as(const char *path, int descriptor);

/* What is read must not be lost to what is written: from now on no name of this file is replaced by
 * this program. What is no file that is there passes. */
void partial_file_protect(const char *path);
bool partial_file_is_protected(const char *path);

/* Makes an empty file `name`; `path` must outlive it. False, with one line in `error` that names
 * the file at fault, where `path` or `name` is there and no plain file or protected, `name` cannot
 * be made or is written by another program now. */
bool partial_file_begin(struct partial_file *file, const char *path,
                        char error[PARTIAL_FILE_ERROR_MAX]);
/* Puts it in place of `path`. False with one line in `error`; then nothing is left of it. */
bool partial_file_commit(struct partial_file *file, char error[PARTIAL_FILE_ERROR_MAX]);
/* Nothing is left of it, and `path` as it was. Lets pass what was not begun. */
void partial_file_discard(struct partial_file *file);
