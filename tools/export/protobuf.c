/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/export/protobuf.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

#define VARINT_MAX 10 /* bytes */

enum wire_type { WIRE_VARINT = 0, WIRE_LENGTH = 2 };

void protobuf_free(struct protobuf *buffer)
{
    free(buffer->bytes);
    *buffer = (struct protobuf){0};
}

void protobuf_clear(struct protobuf *buffer)
{
    assert(buffer->depth == 0);
    buffer->length = 0;
}

static void reserve(struct protobuf *buffer, size_t count)
{
    buffer->bytes = alloc_grow(buffer->bytes, &buffer->capacity, buffer->length + count, 1);
}

static size_t encode(uint64_t value, uint8_t bytes[VARINT_MAX])
{
    size_t length = 0;

    for (; value >= 0x80; value >>= 7) {
        bytes[length++] = (uint8_t)(value | 0x80);
    }
    bytes[length++] = (uint8_t)value;
    return length;
}

static void put_varint(struct protobuf *buffer, uint64_t value)
{
    reserve(buffer, VARINT_MAX);
    buffer->length += encode(value, buffer->bytes + buffer->length);
}

static void put_key(struct protobuf *buffer, uint32_t field, enum wire_type type)
{
    put_varint(buffer, (uint64_t)field << 3 | type);
}

void protobuf_number(struct protobuf *buffer, uint32_t field, uint64_t value)
{
    put_key(buffer, field, WIRE_VARINT);
    put_varint(buffer, value);
}

void protobuf_bytes(struct protobuf *buffer, uint32_t field, const void *bytes, size_t length)
{
    put_key(buffer, field, WIRE_LENGTH);
    put_varint(buffer, length);
    reserve(buffer, length);
    if (length > 0) {
        memcpy(buffer->bytes + buffer->length, bytes, length);
    }
    buffer->length += length;
}

void protobuf_text(struct protobuf *buffer, uint32_t field, const char *text)
{
    protobuf_bytes(buffer, field, text, strlen(text));
}

/* Room for a length of one byte; where it becomes longer the content moves. */
void protobuf_begin(struct protobuf *buffer, uint32_t field)
{
    assert(buffer->depth < PROTOBUF_DEPTH_MAX);
    put_key(buffer, field, WIRE_LENGTH);
    reserve(buffer, 1);
    buffer->bytes[buffer->length++] = 0;
    buffer->open[buffer->depth++] = buffer->length;
}

void protobuf_end(struct protobuf *buffer)
{
    assert(buffer->depth > 0);
    const size_t begin = buffer->open[--buffer->depth];
    const size_t content = buffer->length - begin;
    uint8_t prefix[VARINT_MAX];
    const size_t prefix_length = encode(content, prefix);

    reserve(buffer, prefix_length);
    memmove(buffer->bytes + begin - 1 + prefix_length, buffer->bytes + begin, content);
    memcpy(buffer->bytes + begin - 1, prefix, prefix_length);
    buffer->length += prefix_length - 1;
}
