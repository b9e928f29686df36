/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image's side of the serial line.
 *
 * Records and text may be sent at any time outside a measured window; samples
 * and traces leave when they are published, between benches. All of it stays in
 * memory, so that after the run the host can ask again for what the line lost.
 * Without a serial port the text goes to the screen and the rest stays unread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/dev/uart16550.h"
#include "kernel/link/frame.h"
#include "kernel/link/lava.h"
#include "kernel/link/record.h"

/* After the answer to a request for another speed, so long for an intact request at that speed;
 * else the old one comes back. */
#define RATE_CHECK_MS 1000
/* At another speed than that of the run: after so long without a request, and with none to answer,
 * that of the run comes back, for a host that knows no other. */
#define RATE_SILENCE_MS 10000

#define LINK_RUN_DIGITS 16

struct link_series {
    const char *bench;
    unsigned pass; /* 0 where there is only one */
    const char *name;
    const char *of;    /* the series whose samples these are counts of, */
    const char *event; /* and of what; both NULL: no counts */
    const char *unit;
    const int64_t *samples; /* stay until the end of the run */
    size_t count;
};

/* Packets of a trace in a ring: packet s lies at memory + s % ring_packets * TRACE_PACKET_BYTES. */
struct link_trace {
    const char *bench;
    unsigned pass;    /* 0 where there is only one */
    unsigned part;    /* from 1: each is a separate trace */
    const char *mode; /* "stop", "overwrite" or "drain" */
    uint32_t cpu;
    uint64_t begin; /* TSC */
    uint64_t end;
    const void *memory; /* as it is until the end of the run */
    size_t ring_packets;
    uint64_t first;       /* sequence number of the first packet to send */
    size_t count;         /* packets to send, at most ring_packets */
    uint64_t kept;        /* records in these packets */
    uint64_t discarded;   /* records that found no room */
    uint64_t overwritten; /* records in packets that made room */
    /* Ticks: a whole record, its part before the stamp, and a whole one with an extended header; */
    uint32_t record;
    uint32_t lead;
    uint32_t extended;
    /* from an interrupt to the stamp of isr_entry, from that of isr_exit and from that of the last
     * dpc_exit to where the interrupted code goes on, and from that of thread_switch to where a
     * preempted thread goes on. */
    uint32_t isr_lead;
    uint32_t isr_trail;
    uint32_t dpc_trail;
    uint32_t switch_trail;
};

/* A name of what traces speak of (kernel/trace/object.h). */
struct link_object {
    const char *bench;
    unsigned pass; /* 0 where there is only one */
    const char *kind;
    uint32_t id;
    const char *name;
    bool has_process; /* of threads */
    bool has_priority;
    uint32_t process;
    uint32_t priority;
};

/* Takes memory for records. `uart` NULL: no serial port. False where memory ran out. */
bool link_init(struct uart *uart);

/* Binary unless set otherwise. */
void link_set_format(enum frame_format format);

/* Lines for LAVA (lava.h) stand between the frames; not unless set. */
void link_set_lava(bool lava);
/* Prints a case, or one of LAVA_BEGIN and LAVA_END, where that is set. */
void link_lava(const struct lava_case *of);
void link_lava_text(const char *text);

/* Series and traces are announced, and leave only when they are asked for. */
void link_set_on_request(bool on_request);

/* What distinguishes this boot from others, not 0: END has it as LINK_RUN_DIGITS hexadecimal
 * digits. */
void link_set_run(uint64_t run);

/* A line of text for people; printf's integers and strings, at most 900 characters. Pending records
 * leave first, so that the order on the line is the order of events. */
void link_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, behind the records that are pending, when they leave next: where more records follow at
 * once, they leave together. */
void link_text_behind(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A text by every mouth there is, past all that link_text() keeps in order: for one that cannot
 * trust the link any more. */
void link_last_words(const char *text);

/* Finishes the record and keeps it for the next META frame. */
void link_record(struct record_writer *writer);

/* All records so far, in whole lines: `length` bytes. They stay, and more come behind them. */
const char *link_records(size_t *length);
/* The samples of the series with this number of a stream; NULL: it is none. */
const int64_t *link_samples(uint64_t stream, size_t *count);

/* Sends what records are pending. */
void link_flush(void);

/* Sends what records are pending and waits until the last bit has left, about a second at most. */
void link_drain(void);

/* Sends progress, behind what records are pending. It is not kept: nothing can ask for it again. */
struct live_gaps;
void link_live(const char *bench, unsigned pass, const struct live_gaps *live);

/* Announces a series and sends it. False where there are too many streams. */
bool link_series(const struct link_series *series);

/* Announces a name; before the traces that speak of it. */
void link_object(const struct link_object *object);

/* Announces a trace, with all records that are pending, and then sends it. False where there are
 * too many streams. */
bool link_trace(const struct link_trace *trace);

/* Sends END. */
void link_end(void);

/* From now on text is kept as well, for link_save(); right after link_init(). False: no memory. */
bool link_keep(void);

/* Where a log is saved to that does not leave by a line. False: it takes no more. */
typedef bool link_write(void *context, const uint8_t *bytes, size_t length);

/* Writes what has been added to the log since the last call, as it would travel: text, META frames,
 * series and traces in the order in which they came about, and END once link_end() was called. All
 * calls together write a whole log. False where `write` did not take it: the next call writes that
 * part again from its beginning. */
bool link_save(link_write *write, void *context);
/* Where an exception ended link_save(): frames leave by the line again. */
void link_save_abandon(void);

/* Another way to a host than the serial port. */
struct link_way {
    int (*read)(void *context); /* the next byte that has come; -1: none. A turn for its device */
    link_write *write;
    void *context;
};

/* Before the run, with link_init() called: asks on the line whether a host is there, and listens
 * for an intact request for 300 ms at most, by firmware's `stall`. True: there is one. */
bool link_find_host(void (*stall)(uint64_t us));

/* After END: answers requests until the host sends bye, until it has been silent for `wait_ms`, or
 * until nothing that came in ten times as long was a request. False: it waited, and neither then
 * nor before was there an intact request: as far as is known there is no host. */
bool link_serve(uint64_t wait_ms);
/* The same by another way, whose speed cannot be changed; not while a log is saved. */
bool link_serve_by(const struct link_way *way, uint64_t wait_ms);
