/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image's side of the serial line.
 *
 * Records and text may be sent at any time outside a measurement window. Samples and traces leave
 * when they are published, between benches. All of it stays in memory, so that after the run the
 * host can ask again for what the line lost. Without a serial port, text goes to the screen and
 * everything else is not sent.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/dev/uart16550.h"
#include "kernel/link/frame.h"
#include "kernel/link/lava.h"
#include "kernel/link/record.h"

/* After the image has agreed to another speed, it waits this long for an intact request at that
 * speed; then it returns to the old one. */
#define RATE_CHECK_MS 1000
/* At a speed other than that of the run: after this long without a request, and with no request
 * left to answer, the image returns to the speed of the run, for a host that knows no other. */
#define RATE_SILENCE_MS 10000

#define LINK_RUN_DIGITS 16

struct link_series {
    const char *bench;
    unsigned pass; /* number of the pass; 0 if there is only one */
    const char *name;
    const char *of;    /* series to whose samples these counts belong; NULL: not counts */
    const char *event; /* event that was counted; NULL: not counts */
    const char *unit;
    const int64_t *samples; /* samples; must stay unchanged until the end of the run */
    size_t count;
};

/* Packets of a trace in a ring buffer. The packet with sequence number s is at memory + s %
 * ring_packets * TRACE_PACKET_BYTES. */
struct link_trace {
    const char *bench;
    unsigned pass;    /* number of the pass; 0 if there is only one */
    unsigned part;    /* number of the part, from 1; each part is a separate trace */
    const char *mode; /* mode of the trace: "stop", "overwrite" or "drain" */
    uint32_t cpu;
    uint64_t begin; /* TSC at the start */
    uint64_t end;
    const void *memory; /* packets in a ring; must stay unchanged until the end of the run */
    size_t ring_packets;
    uint64_t first;       /* sequence number of the first packet to send */
    size_t count;         /* number of packets to send, at most ring_packets */
    uint64_t kept;        /* number of records in these packets */
    uint64_t discarded;   /* number of records for which there was no room */
    uint64_t overwritten; /* number of records in packets that were overwritten */
    /* Cost of recording, in ticks: of a whole record, of its part before the timestamp, and of a
     * whole record with an extended header. */
    uint32_t record;
    uint32_t lead;
    uint32_t extended;
    /* Ticks from an interrupt to the timestamp of isr_entry, from that of isr_exit to where the
     * interrupted code continues, the same from that of the last dpc_exit, and from that of
     * thread_switch to where a preempted thread continues. */
    uint32_t isr_lead;
    uint32_t isr_trail;
    uint32_t dpc_trail;
    uint32_t switch_trail;
};

/* The name of an object that traces refer to by number (kernel/trace/object.h). */
struct link_object {
    const char *bench;
    unsigned pass; /* number of the pass; 0 if there is only one */
    const char *kind;
    uint32_t id;
    const char *name;
    bool has_process; /* `process` is valid, which is so only for threads */
    bool has_priority;
    uint32_t process;
    uint32_t priority;
};

/* Allocates memory for records; `uart` NULL: no serial port. Returns false if memory ran out. */
bool link_init(struct uart *uart);

/* Sets the format of frames; it is binary if this is not called. */
void link_set_format(enum frame_format format);

/* Sets whether lines for LAVA (lava.h) are printed between the frames; off by default. */
void link_set_lava(bool lava);
/* Print the line of a test case, or LAVA_BEGIN or LAVA_END, if lines for LAVA are on. */
void link_lava(const struct lava_case *of);
void link_lava_text(const char *text);

/* Sets whether series and traces are only announced, and sent only when the host asks for them. */
void link_set_on_request(bool on_request);

/* Sets the number that identifies this boot, not 0, and the fingerprint of the machine. The END
 * frame contains each as LINK_RUN_DIGITS hexadecimal digits. */
void link_set_run(uint64_t run, uint64_t machine);

/* Prints a line of text for people, at most 899 characters; `format` takes integers and strings as
 * in printf. Pending records are sent first, so that the line has the order of events. */
void link_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Queues a line of text that is printed after the pending records when these are next sent. Records
 * that are added soon after leave together with them. */
void link_text_behind(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes a text directly to the serial port and to the screen, without regard to the order that
 * link_text() keeps. For code that can no longer trust the link. */
void link_last_words(const char *text);

/* Finishes the record and keeps it for the next META frame. */
void link_record(struct record_writer *writer);
/* Does so with a record `machine`: a fact about this machine. */
void link_machine(const char *name, const char *value);

/* Returns all records so far as whole lines, *length bytes. Later ones are appended to them. */
const char *link_records(size_t *length);
/* Returns the samples of the series with this stream number and sets *count, or returns NULL if the
 * number is not that of a series. */
const int64_t *link_samples(uint64_t stream, size_t *count);

/* Sends all pending records. */
void link_flush(void);

/* Sends all pending records and waits until the last bit has left, at most about a second. */
void link_drain(void);

/* Sends the pending records, then the progress of those processors that have news. Progress is not
 * kept, so the host cannot ask for it again. link_save() writes it as well, until the next call;
 * the lanes must stay valid until then. `count` 0: there is no more. */
struct live_lane;
void link_live(const char *bench, unsigned pass, const struct live_lane *lanes, size_t count);

/* Announces a series and adds it to the current batch, whose samples leave when records are next
 * sent. Returns false if there are too many streams. */
bool link_series(const struct link_series *series);

/* Announces the name of an object. Call before publishing the traces that refer to it. */
void link_object(const struct link_object *object);

/* Announces a trace, together with all pending records, and then sends it. Returns false if there
 * are too many streams. */
bool link_trace(const struct link_trace *trace);

/* Sends the END frame, with the seal of the run (seal.h). */
void link_end(void);

/* From now on text is also kept, for link_save(). Call right after link_init(). Returns false if
 * there is not enough memory. */
bool link_keep(void);

/* Writes a part of a log elsewhere than to the line. Returns false if no more can be written. */
typedef bool link_write(void *context, const uint8_t *bytes, size_t length);

/* Writes what has been added to the log since the last call, in the form in which it would travel:
 * text, META frames, series and traces in the order in which they were created, and END once
 * link_end() was called. The outputs of all calls together are a whole log. Returns false if
 * `write` failed; the next call then begins with the part that failed. */
bool link_save(link_write *write, void *context);
/* The next link_save() begins at the start of the log again. */
void link_save_again(void);
/* Call if an exception ended link_save(): frames leave by the line again. */
void link_save_abandon(void);

/* Another connection to a host than the serial port. */
struct link_way {
    /* returns the next received byte, or -1 if there is none; also lets the device do its work */
    int (*read)(void *context);
    link_write *write;
    void *context;
};

/* Asks on the line whether a host is there, and waits at most 300 ms, by means of firmware's
 * `stall`, for an intact request. Call before the run, after link_init(). Returns whether there is
 * a host. */
bool link_find_host(void (*stall)(uint64_t us));

/* Call after link_end(). Answers requests until the host sends bye, until it has been silent for
 * `wait_ms`, or until ten times as long has passed without an intact request. Returns false if it
 * waited and no intact request has arrived, now or earlier: as far as is known there is no host.
 * Returns true at once if there is no serial port or the TSC does not advance. */
bool link_serve(uint64_t wait_ms);
/* Like link_serve(), but over `way`, whose speed cannot be changed. Ignores requests that arrived
 * before the call. Returns false if the TSC does not advance. Must not be called during
 * link_save(). */
bool link_serve_by(const struct link_way *way, uint64_t wait_ms);
