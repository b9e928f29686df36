/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/trace_bytes.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/checksum.h"

#define CRC_BLOCK 16384

struct memory_bytes {
    struct trace_bytes bytes;
    uint8_t memory[];
};

static bool memory_read(struct trace_bytes *bytes, uint64_t offset, void *to, size_t size)
{
    const struct memory_bytes *memory = (const struct memory_bytes *)bytes;

    if (offset > bytes->length || size > bytes->length - offset) {
        return false;
    }
    if (size > 0) {
        memcpy(to, memory->memory + offset, size);
    }
    return true;
}

static void memory_close(struct trace_bytes *bytes)
{
    free(bytes);
}

struct trace_bytes *trace_bytes_memory(const void *from, size_t length)
{
    struct memory_bytes *memory = alloc_zeroed(sizeof(*memory) + length);

    memory->bytes =
        (struct trace_bytes){.length = length, .read = memory_read, .close = memory_close};
    if (length > 0) {
        memcpy(memory->memory, from, length);
    }
    return &memory->bytes;
}

bool trace_bytes_crc(struct trace_bytes *bytes, uint32_t *crc)
{
    uint8_t block[CRC_BLOCK];

    *crc = 0;
    for (uint64_t offset = 0, part; offset < bytes->length; offset += part) {
        part = bytes->length - offset < CRC_BLOCK ? bytes->length - offset : CRC_BLOCK;
        if (!bytes->read(bytes, offset, block, part)) {
            return false;
        }
        *crc = checksum_crc32c(*crc, block, part);
    }
    return true;
}

void trace_bytes_close(struct trace_bytes *bytes)
{
    if (bytes != NULL && bytes->close != NULL) {
        bytes->close(bytes);
    }
}
