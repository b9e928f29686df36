/* SPDX-License-Identifier: BSD-2-Clause */
/* A private directory under $TMPDIR, for files that QEMU opens by name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
/* Copies the file `source` into it; false with errno set. */
bool temporary_copy(const struct temporary *temporary, const char *name, const char *source);
