/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A temporary file without a name, in $TMPDIR or /tmp, that grows at its end. It holds the packets
 * of traces from their arrival until the run is freed. It may have several owners; the last one to
 * release it removes it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool;
struct trace_bytes;

/* A piece of the file. */
struct spool_extent {
    uint64_t at;
    uint64_t length;
};

/* Creates a spool. The file itself is created by the first write. */
struct spool *spool_create(void);
/* Releases one owner's share; NULL is allowed. */
void spool_release(struct spool *spool);

/* Appends bytes and stores their offset in *at. Returns false if the file cannot be created or
 * written; it then takes no more bytes. */
bool spool_append(struct spool *spool, const void *bytes, size_t length, uint64_t *at);
bool spool_read(struct spool *spool, uint64_t at, void *to, size_t length);

/* Maps the first `length` > 0 bytes read-only; the caller unmaps them with munmap(). The mapping
 * outlives the spool. Returns NULL if mapping fails. */
void *spool_map(struct spool *spool, size_t length);

/* Returns the first error as one line that names the folder, or NULL if there was none. */
const char *spool_error(const struct spool *spool);

/* Returns the bytes of the extents, in order. Copies the extents. The result co-owns the file until
 * it is closed. */
struct trace_bytes *spool_bytes(struct spool *spool, const struct spool_extent *extents,
                                size_t count);
/* Lets these bytes have the payloads of their packets; one of length 0 is unknown. The list, which
 * was allocated, then belongs to them. */
void spool_bytes_payloads(struct trace_bytes *bytes, struct spool_extent *payloads, size_t count);
