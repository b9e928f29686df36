/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codec of TRACE frames: records of one packet (kernel/trace/packet.h).
 *
 *     payload   mode u8
 *               CODEC_STORED: index u32, from u16, to u16, records u16, last u8,
 *                             struct trace_packet, the bytes [from, to) of the packet
 *               CODEC_CODED:  records u16, range coder
 *
 * A payload carries the packet's header and context beside its records: a lost frame loses no
 * records of others. Bytes behind the content do not travel, and decode as 0.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/codec/codec.h"
#include "kernel/trace/packet.h"

#define TRACE_CODEC_RECORDS_MAX 1024 /* of a payload */

/* What a payload holds of a packet. */
struct trace_piece {
    uint32_t index; /* of the packet in its trace, from 0 */
    uint32_t from;  /* bytes [from, to) of the packet: sizeof(struct trace_packet) <= from <= to */
    uint32_t to;    /* at most TRACE_PACKET_BYTES */
    uint32_t records; /* in these bytes; 0 where they do not parse as records */
    bool last;        /* `to` is the end of the content */
};

/* Scratch of encoder and decoder, zeroed before its first use. No call depends on one before. */
struct trace_codec {
    uint8_t unused;
};

/* End of the content of a packet in bytes of the packet, header included: between
 * sizeof(struct trace_packet) and TRACE_PACKET_BYTES whatever its header claims. */
uint32_t trace_codec_content(const uint8_t *packet);

/* Encodes records of `packet` (TRACE_PACKET_BYTES) from byte *at on, which is where a record begins
 * (sizeof(struct trace_packet): the first), as many as fit `capacity` (at least
 * CODEC_CAPACITY_MIN). *at moves behind the last; trace_codec_content(): the packet is done.
 * Content that does not parse as records goes as it is. A packet without content is one payload.
 * Returns the bytes of the payload. */
size_t trace_encode(struct trace_codec *codec, const uint8_t *packet, uint32_t index, uint32_t *at,
                    uint8_t *payload, size_t capacity);

/* Decodes a payload: fills *piece, the header of `packet` (TRACE_PACKET_BYTES) and its bytes
 * [from, to), and leaves the others. False where the payload is malformed; then `packet` may have
 * any bytes. */
bool trace_decode(struct trace_codec *codec, const uint8_t *payload, size_t length, uint8_t *packet,
                  struct trace_piece *piece);
