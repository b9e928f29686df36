/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layout of a trace in memory: CTF 1.8 packets of a fixed size, each of which can be read
 * without the others.
 *
 *     packet   struct trace_packet, records, unused bytes up to the packet's size
 *     record   header, fields
 *     header   compact: u32 = id (bits 0-4) | low 27 bits of the TSC (bits 5-31)
 *              extended: u8 31, u32 id, u64 TSC: always used for ids above 31      13 bytes
 *
 * Everything is little endian and unaligned (CTF 1.8.3 section 6; the header is LTTng's "compact"
 * variant). A compact stamp takes its upper bits from the previous record, or from the packet's
 * begin. The recorder writes an extended header whenever they differ, so the low bits never wrap
 * unnoticed.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdint.h>

/* Small, so that a frame lost on the line costs only the records of one packet. */
#define TRACE_PACKET_BYTES 8192
#define TRACE_PACKET_MAGIC 0xc1fc1fc1u

#define TRACE_STAMP_BITS      27
#define TRACE_ID_BITS         5
#define TRACE_ID_EXTENDED     31
#define TRACE_HEADER_COMPACT  4
#define TRACE_HEADER_EXTENDED 13

/* Packet header and packet context of CTF. */
struct __attribute__((packed)) trace_packet {
    uint32_t magic;
    uint8_t uuid[16];
    uint32_t stream; /* always 0 */
    uint64_t begin;  /* TSC when it was opened; gives the upper bits of its first record */
    uint64_t end;    /* TSC when it was closed */
    uint64_t content_bits;
    uint64_t packet_bits;
    /* counts from 0 in a trace; a missing number is a packet that was overwritten or lost */
    uint64_t sequence;
    /* records without room, from the start of the trace to the end of this packet */
    uint64_t discarded;
    uint32_t cpu;
    /* ticks for opening this packet: the tracer's own time in addition to its records, spent before
     * the stamp of the first record */
    uint32_t tracer_ticks;
};

/* Identifies this kind of trace; it is the same in every trace. */
#define TRACE_UUID                                                                                \
    {                                                                                             \
        0x74, 0x61, 0x72, 0x65, 0x2d, 0x74, 0x40, 0x72, 0xa1, 0x63, 0x65, 0x2d, 0x65, 0x76, 0x6e, \
            0x74                                                                                  \
    }
