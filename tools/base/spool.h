/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A temporary file without a name, in $TMPDIR or else /tmp, that grows at its end: where the
 * packets of traces lie from their arrival until the run is done with. It is shared by all who hold
 * it, and goes with the last of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool;
struct trace_bytes;

/* A piece of it. */
struct spool_extent {
    uint64_t at;
    uint64_t length;
};

/* The file itself is made when something is written. */
struct spool *spool_create(void);
struct spool *spool_share(struct spool *spool);
/* NULL is let pass. */
void spool_release(struct spool *spool);

/* Adds bytes at the end and says where they lie. False where the file cannot be made or written:
 * from then on it takes nothing more. */
bool spool_append(struct spool *spool, const void *bytes, size_t length, uint64_t *at);
bool spool_read(struct spool *spool, uint64_t at, void *to, size_t length);

/* The first `length` > 0 bytes as memory that is only read, to be given to munmap(); it stays when
 * the file is released. NULL where that cannot be. */
void *spool_map(struct spool *spool, size_t length);

/* What went wrong first, as one line that names the folder; NULL where nothing did. */
const char *spool_error(const struct spool *spool);

/* The extents, one behind the other. They are copied; the file is held until it is closed. */
struct trace_bytes *spool_bytes(struct spool *spool, const struct spool_extent *extents,
                                size_t count);
