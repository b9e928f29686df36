/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codec of TRACE frames: records of one packet of a trace (kernel/trace/packet.h).
 *
 *     payload   mode u8
 *               CODEC_STORED: index u32, from u16, to u16, records u16, last u8,
 *                             struct trace_packet, the bytes [from, to) of the packet
 *               CODEC_CODED:  records u16, range coder
 *
 * A payload carries the packet's header and context as well as its records, so a lost frame loses
 * no records of other frames. Bytes after the content of a packet are not sent and are decoded as
 * 0.
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

#define TRACE_CODEC_RECORDS_MAX 1024 /* largest number of records in a payload */

/* The piece of a packet that a payload holds. */
struct trace_piece {
    uint32_t index; /* number of the packet in its trace, from 0 */
    uint32_t from;  /* bytes [from, to) of the packet: sizeof(struct trace_packet) <= from <= to */
    uint32_t to;    /* end of the piece, at most TRACE_PACKET_BYTES */
    /* number of records in these bytes; 0 if they are stored unparsed */
    uint32_t records;
    bool last; /* `to` is the end of the content */
};

#define TRACE_CODEC_IDS    64 /* number of ids: those in events.def must be below this */
#define TRACE_CODEC_FIELDS 5  /* largest number of fields of an event */
/* Enough for the fields of all events (those of events.def differ by image), a delay for each, and
 * one for the head. What is sent does not depend on it. */
#if defined(TARE_SMP) || __STDC_HOSTED__
#define TRACE_CODEC_NUMBERS 136
#else
#define TRACE_CODEC_NUMBERS 120
#endif
#define TRACE_CODEC_ORDERS     5 /* number of contexts: the last 1 to 5 records */
#define TRACE_CODEC_PROOFS     4
#define TRACE_CODEC_PLACE_BITS 10
#define TRACE_CODEC_OUTCOMES   16
#define TRACE_CODEC_CLOCK_BITS 6
#define TRACE_CODEC_RECENT     4
/* Number of times that are tried in addition to the guess. */
#define TRACE_CODEC_TIMES (2 * TRACE_CODEC_RECENT)

/* The last time at which something happened, and recent values, the latest first. */
struct trace_clock {
    uint64_t latest;
    /* Intervals between consecutive times; no two are about the same. */
    uint64_t intervals[TRACE_CODEC_RECENT];
    /* Recent coded values: delays, or distances from timestamps. */
    uint64_t amounts[TRACE_CODEC_RECENT];
};

/* The record that followed a context. */
struct trace_place {
    uint16_t record; /* 1 + number of the record that last followed the context; 0: none */
    uint8_t proofs;  /* correct predictions in a row, at most TRACE_CODEC_PROOFS - 1 */
};

/* Working memory of encoder and decoder; must be zeroed before its first use. Nothing is carried
 * over from one call to the next. */
struct trace_codec {
    struct range_coder coder;
    uint8_t numbers[TRACE_CODEC_IDS]; /* the index in `number` of each event's first field */
    unsigned shift;                   /* number of low bits that are 0 in all delays */
    /* Results of the last four predictions, one bit each; 1: wrong. */
    unsigned outcomes;
    uint32_t contexts[TRACE_CODEC_ORDERS];
    uint32_t count; /* records of the payload so far */
    /* Timestamps: stamps[0] is the one before the first record, stamps[i + 1] that of record i. */
    uint64_t stamps[TRACE_CODEC_RECORDS_MAX + 1];
    uint16_t fields[TRACE_CODEC_RECORDS_MAX]; /* offset of each record's fields in the packet */
    /* for each record: 1 + the previous record with the same id; 0: none */
    uint16_t same[TRACE_CODEC_RECORDS_MAX];
    uint8_t ids[TRACE_CODEC_RECORDS_MAX]; /* id of each record */
    /* 1 + the last record of each id; 0: none */
    uint16_t latest[TRACE_CODEC_IDS];
    /* Clocks of records, by hash of id and first field. */
    struct trace_clock clocks[1u << TRACE_CODEC_CLOCK_BITS];
    struct trace_clock times; /* clock of fields that are times */
    struct trace_place places[TRACE_CODEC_ORDERS][1u << TRACE_CODEC_PLACE_BITS];
    /* Indexed by the hash of the previous record and an id: 1 + the last record of that id after
     * such a record; 0: none. */
    uint16_t pairs[1u << TRACE_CODEC_PLACE_BITS];
    range_probability whole[TRACE_CODEC_ORDERS][TRACE_CODEC_PROOFS][TRACE_CODEC_OUTCOMES];
    range_probability trust[TRACE_CODEC_ORDERS][TRACE_CODEC_PROOFS];
    range_probability id_missed[TRACE_CODEC_ORDERS];
    range_probability other_missed[TRACE_CODEC_ORDERS];
    range_probability id[TRACE_CODEC_IDS][TRACE_CODEC_IDS];
    range_probability missed[TRACE_CODEC_NUMBERS];
    /* For times: the bit is 1 if the time is coded as its distance from a time that a clock (struct
     * trace_clock) predicts, and 0 if as its distance from the guess. */
    range_probability seen[TRACE_CODEC_NUMBERS];
    range_probability which[TRACE_CODEC_NUMBERS][TRACE_CODEC_TIMES];
    range_probability number[TRACE_CODEC_NUMBERS][RANGE_NUMBER_TREE];
    range_probability first_seen[RANGE_NUMBER_TREE]; /* for short fields whose guess is 0 */
    /* Distances of a time from what a clock predicts: [0] by an interval, [1] by an amount. */
    range_probability beside[2][RANGE_NUMBER_TREE];
};

#define TRACE_CODEC_PROBABILITIES \
    ((sizeof(struct trace_codec) - offsetof(struct trace_codec, whole)) / sizeof(range_probability))

/* Returns the end of the content of a packet in bytes, header included. It is between sizeof(struct
 * trace_packet) and TRACE_PACKET_BYTES whatever the header claims. */
uint32_t trace_codec_content(const uint8_t *packet);

/* Encodes records of `packet` (TRACE_PACKET_BYTES) from byte *at on, as many as fit `capacity` (at
 * least CODEC_CAPACITY_MIN). A record must begin at *at; the first is at sizeof(struct
 * trace_packet). Moves *at past the last record encoded; the packet is done if *at is then
 * trace_codec_content(). Content that does not parse as records is stored unchanged. A packet
 * without content takes one payload. Returns the number of bytes of the payload. */
size_t trace_encode(struct trace_codec *codec, const uint8_t *packet, uint32_t index, uint32_t *at,
                    uint8_t *payload, size_t capacity);

/* Decodes a payload: fills *piece, the header of `packet` (TRACE_PACKET_BYTES) and its bytes [from,
 * to), and leaves the others unchanged. Returns false if the payload is malformed; `packet` may
 * then contain anything. */
bool trace_decode(struct trace_codec *codec, const uint8_t *payload, size_t length, uint8_t *packet,
                  struct trace_piece *piece);
