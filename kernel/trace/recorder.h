/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recorder: a ring of CTF packets (packet.h) in memory, and the way a record gets into it.
 *
 * A record reserves its bytes by a compare-and-exchange of the ring's pointer that holds only if
 * no record was made since the stamp was read, so that records of interrupt and NMI handlers, which
 * come in between, lie whole behind or before it and stamps never go back. There is no lock, no
 * allocation, and no other processor: a ring belongs to one.
 *
 * Most records take the short way, 22 instructions or fewer with the call, and 13 more of a switch
 * or of a handler's entry, which move the account. The long way (a packet is full, or the upper
 * bits of the TSC changed) is counted apart: see trace_packet and recorder_costs. A record of an id
 * above TRACE_ID_EXTENDED takes the short way: its header has the upper bits. A record for which
 * all is full takes fewer instructions than any that is kept.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/trace/packet.h"

enum recorder_mode {
    RECORDER_STOP,      /* full: what comes then is counted and discarded */
    RECORDER_OVERWRITE, /* full: the oldest packet makes room */
    RECORDER_OFF,       /* nothing is kept, or counted: the account (account.h) alone */
};

/* Starts recording into `packets` packets at `memory` (page aligned, already touched; at least 2),
 * from packet 0 on. RECORDER_OFF needs none. */
void recorder_start(void *memory, size_t packets, enum recorder_mode mode, uint32_t cpu);

/* Ends it: closes the open packet. Records that come now are not counted. */
void recorder_stop(void);
bool recorder_running(void);

/* Called once in a trace, when the first record is discarded because all is full: by what made that
 * record, interrupts off. NULL: nothing. */
typedef void recorder_hook(void);
void recorder_on_filled(recorder_hook *hook);

/* TSC of the latest recorder_start(). */
uint64_t recorder_begin(void);
/* Packets that have not been opened yet; 0 where all have been. */
size_t recorder_free_packets(void);

struct recorder_result {
    uint64_t begin; /* TSC of recorder_start() and recorder_stop() */
    uint64_t end;
    uint64_t first;       /* sequence number of the oldest packet that is kept */
    uint64_t count;       /* packets that are kept; packet s lies at memory + s % packets */
    uint64_t kept;        /* records in them, counted by walking through them */
    uint64_t discarded;   /* records that found no room */
    uint64_t overwritten; /* records in packets that were overwritten */
    uint64_t filled;      /* TSC of the first record that found all full; 0: none did */
};

/* After recorder_stop(). kept + discarded + overwritten is the number of records made. */
void recorder_result(struct recorder_result *result);

/* What records cost, measured by recording into `memory` (2 packets) outside any trace: ticks, the
 * minimum of several. A record's own time is spent around its stamp. What opening a packet takes is
 * measured as well, and stored in each packet from now on (trace_packet.tracer_ticks); the record
 * that opens it costs what any other does. */
struct recorder_costs {
    uint32_t lead;     /* from before the call to the stamp */
    uint32_t record;   /* whole, short way, call included */
    uint32_t extended; /* whole, with an extended header */
    uint32_t charging; /* whole, short way, of a switch: what moves the account included */
};
void recorder_measure(void *memory, struct recorder_costs *costs);

/* Length of a record's fields in bytes by its id; SIZE_MAX where there is no such event. */
size_t recorder_field_bytes(uint32_t id);
