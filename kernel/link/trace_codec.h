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

#include "kernel/link/codec.h"
#include "kernel/link/range_coder.h"
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

#define TRACE_CODEC_IDS        64  /* of events.def: below */
#define TRACE_CODEC_FIELDS     5   /* of an event, at most */
#define TRACE_CODEC_NUMBERS    120 /* fields of all events, a delay for each, and the head's */
#define TRACE_CODEC_ORDERS     5   /* contexts of the last 1 to 5 records */
#define TRACE_CODEC_PROOFS     4
#define TRACE_CODEC_PLACE_BITS 10
#define TRACE_CODEC_OUTCOMES   16
#define TRACE_CODEC_CLOCK_BITS 6
#define TRACE_CODEC_RECENT     4
#define TRACE_CODEC_TIMES      (2 * TRACE_CODEC_RECENT) /* that are tried beside the guess */

/* When something came last, and what was seen of it, the latest first. */
struct trace_clock {
    uint64_t latest;
    uint64_t intervals[TRACE_CODEC_RECENT]; /* from the time before; none are about the same */
    uint64_t amounts[TRACE_CODEC_RECENT]; /* as they are coded: delays, or distances from stamps */
};

/* What came behind a context. */
struct trace_place {
    uint16_t record; /* 1 + the last one; 0: none */
    uint8_t proofs;  /* in a row, of records that were as this context predicts */
};

/* Scratch of encoder and decoder, zeroed before its first use; nothing of a call is left for the
 * next. */
struct trace_codec {
    struct range_coder coder;
    uint8_t numbers[TRACE_CODEC_IDS]; /* of an event's first field */
    unsigned shift;                   /* low bits of all delays, which are 0 */
    unsigned outcomes;                /* of the last four predictions */
    uint32_t contexts[TRACE_CODEC_ORDERS];
    /* Records of the payload: stamp, which is behind that of the record before it; where its fields
     * are in the packet; 1 + the record of its id before, 0: none. */
    uint32_t count;
    uint64_t stamps[TRACE_CODEC_RECORDS_MAX + 1];
    uint16_t fields[TRACE_CODEC_RECORDS_MAX];
    uint16_t same[TRACE_CODEC_RECORDS_MAX];
    uint8_t ids[TRACE_CODEC_RECORDS_MAX];
    uint16_t latest[TRACE_CODEC_IDS];                        /* 1 + the last record of an id */
    struct trace_clock clocks[1u << TRACE_CODEC_CLOCK_BITS]; /* of records by id and first field */
    struct trace_clock times;                                /* of fields that are times */
    struct trace_place places[TRACE_CODEC_ORDERS][1u << TRACE_CODEC_PLACE_BITS];
    uint16_t pairs[1u << TRACE_CODEC_PLACE_BITS]; /* by the record before and an id: 1 + the last */
    range_probability whole[TRACE_CODEC_ORDERS][TRACE_CODEC_PROOFS][TRACE_CODEC_OUTCOMES];
    range_probability trust[TRACE_CODEC_ORDERS][TRACE_CODEC_PROOFS];
    range_probability id_missed[TRACE_CODEC_ORDERS];
    range_probability other_missed[TRACE_CODEC_ORDERS];
    range_probability id[TRACE_CODEC_IDS][TRACE_CODEC_IDS];
    range_probability missed[TRACE_CODEC_NUMBERS];
    range_probability seen[TRACE_CODEC_NUMBERS]; /* times: nearer to one of a clock */
    range_probability which[TRACE_CODEC_NUMBERS][TRACE_CODEC_TIMES];
    range_probability number[TRACE_CODEC_NUMBERS][RANGE_NUMBER_TREE];
    range_probability first_seen[RANGE_NUMBER_TREE]; /* short fields that are not guessed */
    range_probability beside[2][RANGE_NUMBER_TREE];  /* an interval, an amount */
};

#define TRACE_CODEC_PROBABILITIES \
    ((sizeof(struct trace_codec) - offsetof(struct trace_codec, whole)) / sizeof(range_probability))

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
