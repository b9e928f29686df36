/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frames held by the decoder, ordered by stream and sequence number, and the holes between
 * them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Frames [first, first + count) of a stream. */
struct decoder_range {
    uint16_t stream;
    uint32_t first;
    uint32_t count;
};

/* A META, SERIES or TRACE frame that arrived intact. */
struct held_frame {
    uint16_t stream;
    uint16_t length;
    uint32_t seq;
    uint64_t type : 8;
    uint64_t spooled : 1;
    /* a META frame that also came with other content, so that either may be right */
    uint64_t disputed : 1;
    uint64_t payload : 54; /* place of the payload: in the spool, otherwise in the payloads */
};

/* Copy of the first `count` frames that arrived, sorted by stream and seq. */
struct frame_order {
    struct held_frame *frames;
    size_t count, capacity;
};

/* Returns the frames sorted by stream and seq, valid until the next call. A long capture asks after
 * each answer, so only what arrived since the last call is sorted. `frames` must keep its order
 * between calls. */
const struct held_frame *frame_order_of(struct frame_order *order, const struct held_frame *frames,
                                        size_t count);
/* Returns the frames of one stream among `total` sorted ones. */
const struct held_frame *frame_order_stream(const struct held_frame *sorted, size_t total,
                                            uint16_t stream, size_t *count);
/* Adds to the `used` ranges the holes of one stream of `expected` frames, up to `capacity`. Returns
 * the number of ranges used then. */
size_t frame_order_holes(struct decoder_range *ranges, size_t used, size_t capacity,
                         uint16_t stream, const struct held_frame *frames, size_t count,
                         uint64_t expected);
