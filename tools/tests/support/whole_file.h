/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of the fuzzers, in $TMPDIR: any failure ends the program. */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/base/alloc.h"
#include "tools/base/partial_file.h"
#include "tools/tests/support/demand.h"

static struct temporary own;

static inline void remove_own_folder(void)
{
    temporary_remove(&own);
}

/* Returns a folder that is removed when the program ends. */
static inline const char *own_folder(void)
{
    if (own.path[0] == '\0') {
        demand(temporary_create(&own));
        atexit(remove_own_folder);
    }
    return own.path;
}

/* Makes the name of a file in this folder. */
static inline void own_path(const char *name, char path[TEMPORARY_PATH_MAX])
{
    own_folder();
    temporary_name(&own, name, path);
}

/* Returns all bytes of the file; the caller frees them. */
static inline uint8_t *read_whole_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");

    demand(file != NULL && fseek(file, 0, SEEK_END) == 0);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = alloc_zeroed(*size);

    demand(fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

/* Writes exactly these bytes to the file. */
static inline void write_whole_file(const char *path, const uint8_t *bytes, size_t size)
{
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    demand(descriptor >= 0 && write(descriptor, bytes, size) == (ssize_t)size);
    close(descriptor);
}
