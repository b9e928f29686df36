/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recorder: a ring of CTF packets (packet.h) in memory, and how records get into it.
 *
 * A record reserves its bytes by a compare-and-exchange of the ring's pointer that succeeds only if
 * no other record was made since the stamp was read. So records of interrupt and NMI handlers that
 * come in between lie entirely before or after it, and stamps never go back. There is no lock, no
 * allocation, and no other processor: each ring belongs to one processor.
 *
 * Most records take the fast path: at most 22 instructions including the call, plus up to 13 for a
 * switch or a handler's entry, which update the accounting. The slow path (a packet is full, or the
 * upper bits of the TSC changed) is accounted for separately: see trace_packet and recorder_costs.
 * A record with an id above TRACE_ID_EXTENDED takes the fast path, because its header has the upper
 * bits. A record that finds everything full takes fewer instructions than one that is kept.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/trace/packet.h"

enum recorder_mode {
    RECORDER_STOP,      /* when full, further records are counted and discarded */
    RECORDER_OVERWRITE, /* when full, the oldest packet is overwritten */
    /* records are neither kept nor counted; only the accounting (account.h) runs */
    RECORDER_OFF,
};

/* Starts recording into `packets` packets at `memory` (page aligned, already touched; at least 2),
 * from packet 0 on. RECORDER_OFF needs no memory. */
void recorder_start(void *memory, size_t packets, enum recorder_mode mode, uint32_t cpu);

/* Stops recording and closes the open packet. Later records are not counted. */
void recorder_stop(void);
bool recorder_running(void);

/* Sets a function that is called once in a trace, when the first record is discarded because
 * everything is full. It runs in the context of that record, with interrupts off. NULL: none. */
typedef void recorder_hook(void);
void recorder_on_filled(recorder_hook *hook);

/* Returns the TSC of the latest recorder_start(). */
uint64_t recorder_begin(void);
/* Lets the next record open a packet, if there is room. Returns whether that packet is not a
 * multiple of 64 KiB from the first: record something and call again until it is. Call with
 * interrupts off. */
bool recorder_turn(void);
/* Returns the number of packets that have not been opened yet. */
size_t recorder_free_packets(void);

struct recorder_result {
    uint64_t begin; /* TSC of recorder_start(); the next field is that of recorder_stop() */
    uint64_t end;
    uint64_t first; /* sequence number of the oldest packet that is kept */
    /* number of packets that are kept; packet s lies at memory + s % packets */
    uint64_t count;
    uint64_t kept;        /* records in these packets, counted by walking through them */
    uint64_t discarded;   /* records that found no room */
    uint64_t overwritten; /* records in packets that were overwritten */
    uint64_t filled;      /* TSC of the first record that found everything full; 0 if none did */
};

/* Call after recorder_stop(). kept + discarded + overwritten is the number of records made. */
void recorder_result(struct recorder_result *result);

/* The cost of records in ticks, each the minimum of several, measured by recording into `memory` (2
 * packets) outside any trace. A record's own time is spent around its stamp. The time to open a
 * packet is measured as well, and stored in each packet from then on (trace_packet.tracer_ticks);
 * the record that opens a packet otherwise costs what any other does. */
struct recorder_costs {
    uint32_t lead;     /* from before the call to the stamp */
    uint32_t record;   /* a whole record on the fast path, including the call */
    uint32_t extended; /* a whole record with an extended header */
    /* a whole record of a switch on the fast path, including the update of the accounting */
    uint32_t charging;
};
void recorder_measure(void *memory, struct recorder_costs *costs);

/* Returns the length of a record's fields in bytes, by its id; SIZE_MAX if there is no such
 * event. */
size_t recorder_field_bytes(uint32_t id);
