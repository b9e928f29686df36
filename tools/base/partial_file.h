/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file being written: the future PATH is written as PATH.tmp beside it, by one program at a time,
 * and renamed at the end. A PATH.tmp that a killed program left is overwritten.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PARTIAL_FILE_ERROR_MAX 512

struct partial_file {
    const char *path; /* as given */
    char *name;       /* the file to write to; NULL: not begun */
    int descriptor;   /* of `name`; locks out other programs while it is open */
};

/* May `path` be replaced by a file: is it a regular file, or missing? */
bool partial_file_is_possible(const char *path);

/* Is `path` the file of this descriptor, under any name? */
bool partial_file_is_open_as(const char *path, int descriptor);

/* Protects an input file: this program does not overwrite it from now on, even through a link.
 * Ignores a path that is no existing file. */
void partial_file_protect(const char *path);
bool partial_file_is_protected(const char *path);

/* Creates an empty file `name`; `path` must outlive it. False, with one line in `error` that names
 * the file at fault: `path` or `name` exists and is protected or no regular file, or `name` cannot
 * be created or is being written by another program. */
bool partial_file_begin(struct partial_file *file, const char *path,
                        char error[PARTIAL_FILE_ERROR_MAX]);
/* It is to be at another path, which outlives it. False with one line in `error`, as above. */
bool partial_file_move(struct partial_file *file, const char *path,
                       char error[PARTIAL_FILE_ERROR_MAX]);
/* Renames it to `path`. False with one line in `error`; then no file is left. */
bool partial_file_commit(struct partial_file *file, char error[PARTIAL_FILE_ERROR_MAX]);
/* Removes it and leaves `path` unchanged. Does nothing if not begun. */
void partial_file_discard(struct partial_file *file);

/* A private directory under $TMPDIR, for files that QEMU opens by name. */

#define TEMPORARY_PATH_MAX 4096

struct temporary {
    char path[TEMPORARY_PATH_MAX];
};

/* False with errno set. */
bool temporary_create(struct temporary *temporary);
/* Removes it with the files in it. */
void temporary_remove(struct temporary *temporary);

/* Name of a file in it. */
void temporary_name(const struct temporary *temporary, const char *name,
                    char path[TEMPORARY_PATH_MAX]);
/* Writes a file in it; false with errno set. */
bool temporary_write(const struct temporary *temporary, const char *name, const char *text);
/* Copies what is left of a stream. */
bool copy_bytes(FILE *from, FILE *to);
/* Copies the file `source` into it; false with errno set. */
bool temporary_copy(const struct temporary *temporary, const char *name, const char *source);
