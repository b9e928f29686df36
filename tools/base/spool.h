/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A temporary file without a name, in $TMPDIR or else /tmp, that grows at its end. It holds the
 * packets of traces from their arrival until the run is freed. Owners share it; the last one to
 * release it removes it.
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

/* The first write creates the file itself. */
struct spool *spool_create(void);
/* NULL is allowed. */
void spool_release(struct spool *spool);

/* Appends bytes and returns their offset in `at`. False: the file cannot be created or written, and
 * takes no more bytes from then on. */
bool spool_append(struct spool *spool, const void *bytes, size_t length, uint64_t *at);
bool spool_read(struct spool *spool, uint64_t at, void *to, size_t length);

/* Maps the first `length` > 0 bytes read-only; the caller unmaps them with munmap(). The mapping
 * outlives the spool. NULL: the mapping failed. */
void *spool_map(struct spool *spool, size_t length);

/* The first error, as one line that names the folder; NULL: none. */
const char *spool_error(const struct spool *spool);

/* The bytes of the extents, in order. Copies the extents; the result shares the file until closed.
 */
struct trace_bytes *spool_bytes(struct spool *spool, const struct spool_extent *extents,
                                size_t count);
