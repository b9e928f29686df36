/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A writer of messages in the wire format of Protocol Buffers
 * (protobuf.dev/programming-guides/encoding), in memory. It knows no schema: callers give field
 * numbers.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PROTOBUF_DEPTH_MAX 8

struct protobuf {
    uint8_t *bytes;
    size_t length, capacity;
    size_t open[PROTOBUF_DEPTH_MAX]; /* where the content of each open message begins */
    size_t depth;
};

/* One that is all zeroes is empty. */
void protobuf_free(struct protobuf *buffer);
/* Empties it, and keeps its memory. No message may be open. */
void protobuf_clear(struct protobuf *buffer);

/* uint32, uint64, bool and enum; int32 and int64 are given sign-extended. */
void protobuf_number(struct protobuf *buffer, uint32_t field, uint64_t value);
/* string and bytes. */
void protobuf_bytes(struct protobuf *buffer, uint32_t field, const void *bytes, size_t length);
void protobuf_text(struct protobuf *buffer, uint32_t field, const char *text);
/* Fields up to the end are those of a message that is this field. */
void protobuf_begin(struct protobuf *buffer, uint32_t field);
void protobuf_end(struct protobuf *buffer);
