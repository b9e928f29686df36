/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The packets of a trace, which are in memory, in a temporary file while a log is decoded, or in
 * the BLOB of a run file. Readers take them in pieces, so that a trace of any length needs little
 * memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_bytes {
    uint64_t length;
    /* Reads [offset, offset + size), which must lie within the length. Returns false on a read
     * error. */
    bool (*read)(struct trace_bytes *bytes, uint64_t offset, void *to, size_t size);
    /* closes the source and frees `bytes` too; NULL: nothing to do */
    void (*close)(struct trace_bytes *bytes);
    /* Reads the payload (kernel/link/trace_codec.h) that brought all of packet `index`. Returns its
     * length, at most FRAME_PAYLOAD_MAX, or 0 if there is none. NULL: there is none of any. */
    size_t (*payload)(struct trace_bytes *bytes, uint64_t index, uint8_t *to);
};

/* Returns a copy of `length` bytes in memory. */
struct trace_bytes *trace_bytes_memory(const void *from, size_t length);

/* Computes the CRC-32C of all bytes. Returns false if they cannot be read. */
bool trace_bytes_crc(struct trace_bytes *bytes, uint32_t *crc);

/* Closes and frees `bytes`; NULL is allowed. */
void trace_bytes_close(struct trace_bytes *bytes);
