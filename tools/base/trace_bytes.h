/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The packets of a trace, in memory, in a temporary file while a log is decoded, or in the BLOB of
 * a run file. Readers take them in pieces, so that a trace of any length needs little memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_bytes {
    uint64_t length;
    /* Reads [offset, offset + size), which lies within the length. False: an error of the file. */
    bool (*read)(struct trace_bytes *bytes, uint64_t offset, void *to, size_t size);
    void (*close)(struct trace_bytes *bytes); /* frees `bytes` as well */
};

/* A copy of `length` bytes in memory. */
struct trace_bytes *trace_bytes_memory(const void *from, size_t length);

/* CRC-32C of all bytes; false: they cannot be read. */
bool trace_bytes_crc(struct trace_bytes *bytes, uint32_t *crc);

/* NULL is allowed. */
void trace_bytes_close(struct trace_bytes *bytes);
