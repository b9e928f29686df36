/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A trace in memory: CTF 1.8 packets of a fixed size, each of which can be read by itself.
 *
 *     packet   struct trace_packet, records, unused bytes up to the packet's size
 *     record   header, fields
 *     header   compact: u32 = id (bits 0-4) | low 27 bits of the TSC (bits 5-31)
 *              extended: u8 31, u32 id, u64 TSC: of all ids above 31                13 bytes
 *
 * All little endian and unaligned (CTF 1.8.3 section 6; the header is LTTng's "compact" variant). A
 * compact stamp takes its upper bits from the record before it, or from the packet's begin: the
 * recorder writes an extended header whenever they differ, so a difference of low bits is never a
 * wrap.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdint.h>

#define TRACE_PACKET_BYTES 8192 /* a lost frame of the line costs the records of one packet */
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
    uint32_t stream; /* 0 */
    uint64_t begin;  /* TSC when it was opened: the upper bits of its first record */
    uint64_t end;    /* TSC when it was closed */
    uint64_t content_bits;
    uint64_t packet_bits;
    uint64_t
        sequence; /* counts from 0 in a trace; a hole is a packet that was overwritten or lost */
    uint64_t
        discarded; /* records that found no room, from the trace's begin to this packet's end */
    uint32_t cpu;
    uint32_t tracer_ticks; /* what opening this packet took: the tracer's own time, beyond that of
                              its records; it lies before the stamp of its first record */
};

/* Of every trace: whose it is, not which. */
#define TRACE_UUID                                                                                \
    {                                                                                             \
        0x74, 0x61, 0x72, 0x65, 0x2d, 0x74, 0x40, 0x72, 0xa1, 0x63, 0x65, 0x2d, 0x65, 0x76, 0x6e, \
            0x74                                                                                  \
    }
