/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets as the recorder makes them (kernel/trace/packet.h), of given records. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/trace/packet.h"

#define PACKET_MAKER_IDS 64

struct packet_maker_event {
    bool known;
    uint8_t widths[6]; /* of its fields, in bytes; 0: there is none */
};

static const struct packet_maker_event packet_maker_events[PACKET_MAKER_IDS] = {
#define TRACE_EVENT0(id, name)                 [id] = {true, {0}},
#define TRACE_EVENT1(id, name, t0, n0)         [id] = {true, {sizeof(t0)}},
#define TRACE_EVENT2(id, name, t0, n0, t1, n1) [id] = {true, {sizeof(t0), sizeof(t1)}},
#define TRACE_EVENT3(id, name, t0, n0, t1, n1, t2, n2) \
    [id] = {true, {sizeof(t0), sizeof(t1), sizeof(t2)}},
#define TRACE_EVENT4(id, name, t0, n0, t1, n1, t2, n2, t3, n3) \
    [id] = {true, {sizeof(t0), sizeof(t1), sizeof(t2), sizeof(t3)}},
#define TRACE_EVENT5(id, name, t0, n0, t1, n1, t2, n2, t3, n3, t4, n4) \
    [id] = {true, {sizeof(t0), sizeof(t1), sizeof(t2), sizeof(t3), sizeof(t4)}},
#include "kernel/trace/events.def"
};

struct packet_maker {
    uint8_t bytes[TRACE_PACKET_BYTES];
    uint32_t used;
    uint64_t stamp;
    uint32_t records;
};

static inline void packet_maker_begin(struct packet_maker *maker, uint64_t begin)
{
    const struct trace_packet head = {.magic = TRACE_PACKET_MAGIC,
                                      .uuid = TRACE_UUID,
                                      .begin = begin,
                                      .packet_bits = UINT64_C(8) * TRACE_PACKET_BYTES};

    memset(maker->bytes, 0, sizeof(maker->bytes));
    memcpy(maker->bytes, &head, sizeof(head));
    maker->used = sizeof(head);
    maker->stamp = begin;
    maker->records = 0;
}

/* Adds a record of an event that there is. False where the packet is full. */
static inline bool packet_maker_add(struct packet_maker *maker, unsigned id, uint64_t stamp,
                                    const uint64_t values[5])
{
    const uint8_t *widths = packet_maker_events[id].widths;
    const bool extended =
        id > TRACE_ID_EXTENDED || stamp >> TRACE_STAMP_BITS != maker->stamp >> TRACE_STAMP_BITS;
    uint32_t end = maker->used + (extended ? TRACE_HEADER_EXTENDED : TRACE_HEADER_COMPACT);

    for (unsigned i = 0; widths[i] != 0; i++) {
        end += widths[i];
    }
    if (end > sizeof(maker->bytes)) {
        return false;
    }
    uint8_t *at = maker->bytes + maker->used;
    const uint32_t head = (uint32_t)(id | stamp << TRACE_ID_BITS);

    if (extended) {
        *at++ = TRACE_ID_EXTENDED;
        memcpy(at, &id, 4);
        memcpy(at + 4, &stamp, 8);
        at += 12;
    } else {
        memcpy(at, &head, 4);
        at += 4;
    }
    for (unsigned i = 0; widths[i] != 0; i++) {
        memcpy(at, &values[i], widths[i]);
        at += widths[i];
    }
    maker->used = end;
    maker->stamp = stamp;
    maker->records++;
    return true;
}

static inline void packet_maker_end(struct packet_maker *maker, uint64_t end)
{
    struct trace_packet head;

    memcpy(&head, maker->bytes, sizeof(head));
    head.end = end;
    head.content_bits = UINT64_C(8) * maker->used;
    memcpy(maker->bytes, &head, sizeof(head));
}
