/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file being written. It is written as PATH.tmp in the same folder, by one program at a time, and
 * renamed to PATH at the end. A PATH.tmp left by a killed program is overwritten.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#define PARTIAL_FILE_ERROR_MAX 512

struct partial_file {
    const char *path; /* final path, as given */
    char *name;       /* path of the temporary file; NULL: not begun */
    int descriptor;   /* open descriptor of `name`, which locks out other programs */
};

/* May `path` be replaced by a file? True if it is a regular file or does not exist. */
bool partial_file_is_possible(const char *path);

/* Is `path` the file open as this descriptor, under any name? */
bool partial_file_is_open_as(const char *path, int descriptor);

/* Protects an input file: from this call on, this program does not overwrite it, even through a
 * link. Ignores a path at which there is no file. */
void partial_file_protect(const char *path);
bool partial_file_is_protected(const char *path);

/* Creates an empty file `name`. `path` must outlive it. Returns false, with one line in `error`
 * that names the file at fault, if `path` or `name` exists and is protected or not a regular file,
 * or if `name` cannot be created or is being written by another program. */
bool partial_file_begin(struct partial_file *file, const char *path,
                        char error[PARTIAL_FILE_ERROR_MAX]);
/* Changes the final path to `path`, which must outlive the file. Returns false with one line in
 * `error`, as above. */
bool partial_file_move(struct partial_file *file, const char *path,
                       char error[PARTIAL_FILE_ERROR_MAX]);
/* Renames the file to `path`. On failure returns false with one line in `error`, and leaves no
 * file. */
bool partial_file_commit(struct partial_file *file, char error[PARTIAL_FILE_ERROR_MAX]);
/* Removes the temporary file and leaves `path` unchanged. Does nothing if not begun. */
void partial_file_discard(struct partial_file *file);

/* A private folder in $TMPDIR for files that QEMU opens by name. */

#define TEMPORARY_PATH_MAX 4096

struct temporary {
    char path[TEMPORARY_PATH_MAX];
};

/* Creates the folder. Returns false with errno set on failure. */
bool temporary_create(struct temporary *temporary);
/* Removes the folder and the files in it. */
void temporary_remove(struct temporary *temporary);

/* Writes the path of a file in the folder. */
void temporary_name(const struct temporary *temporary, const char *name,
                    char path[TEMPORARY_PATH_MAX]);
/* Writes a file in the folder. Returns false with errno set on failure. */
bool temporary_write(const struct temporary *temporary, const char *name, const char *text);
/* Copies the rest of a stream. */
bool copy_bytes(FILE *from, FILE *to);
/* Copies the file `source` into the folder. Returns false with errno set on failure. */
bool temporary_copy(const struct temporary *temporary, const char *name, const char *source);
