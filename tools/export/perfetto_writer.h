/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes packets of a Perfetto trace (protos/perfetto/trace/ of github.com/google/perfetto). Tracks
 * with slices and instants are TrackEvents; switches and wakings of threads are ftrace events, from
 * which viewers draw processors and thread states. Names are interned, so that each is written
 * once.
 *
 * Stamps are nanoseconds of one clock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct perfetto_writer;

/* Creates a writer. Failed writes show in ferror() of `out`. */
struct perfetto_writer *perfetto_create(FILE *out);
/* Returns the number of bytes written and held back since perfetto_create() or perfetto_turn(). */
uint64_t perfetto_bytes(const struct perfetto_writer *writer);
/* Writes what is held back. */
void perfetto_flush(struct perfetto_writer *writer);
/* Continues in file `out`, which is a trace by itself: tracks that it needs must be announced
 * again. Call perfetto_flush() first. */
void perfetto_turn(struct perfetto_writer *writer, FILE *out);
/* Writes what is held back, and frees the writer. */
void perfetto_destroy(struct perfetto_writer *writer);

/* Announce tracks. A track's number must be unique in the trace and not 0. Announce a track before
 * its first event. A process or thread also names those of ftrace events with the same tid. */
void perfetto_process(struct perfetto_writer *writer, uint64_t track, int32_t pid,
                      const char *name);
void perfetto_thread(struct perfetto_writer *writer, uint64_t track, int32_t pid, int32_t tid,
                     const char *name);
void perfetto_track(struct perfetto_writer *writer, uint64_t track, uint64_t parent,
                    const char *name);

enum perfetto_note_type {
    PERFETTO_UNSIGNED,
    PERFETTO_ADDRESS,
    PERFETTO_TEXT,
};

/* a named value of an event */
struct perfetto_note {
    const char *name;
    enum perfetto_note_type type;
    uint64_t value;
    const char *text;
};

enum perfetto_event_type {
    PERFETTO_BEGIN,   /* begins a slice */
    PERFETTO_END,     /* ends the innermost slice of the track */
    PERFETTO_INSTANT, /* has no length */
};

struct perfetto_event {
    uint64_t ns;
    uint64_t track;
    enum perfetto_event_type type;
    const char *category;
    const char *name; /* NULL: none; an end needs none */
    const struct perfetto_note *notes;
    size_t note_count;
};
void perfetto_event(struct perfetto_writer *writer, const struct perfetto_event *event);
/* As perfetto_event(), where an arrow begins or ends. Its number must be unique in the trace. */
void perfetto_flow(struct perfetto_writer *writer, const struct perfetto_event *event,
                   uint64_t flow, bool ends);

/* A thread in Linux's terms: tid 0 is the idle thread. */
struct perfetto_task {
    const char *comm;
    int32_t tid, prio;
};
/* Writes a switch from a thread to another; state 0 means that the thread stays ready. */
void perfetto_switch(struct perfetto_writer *writer, uint64_t ns, uint32_t cpu,
                     const struct perfetto_task *from, int64_t state,
                     const struct perfetto_task *to);
/* Writes that the running thread makes another ready, which will probably run on `target`. */
void perfetto_waking(struct perfetto_writer *writer, uint64_t ns, uint32_t cpu, int32_t by_tid,
                     const struct perfetto_task *task, uint32_t target);

/* Notes that switches or wakings of this processor may have been lost before the next one. */
void perfetto_lost(struct perfetto_writer *writer, uint32_t cpu);

/*
 * Encodes messages in the wire format of Protocol Buffers
 * (protobuf.dev/programming-guides/encoding), in memory. It knows no schema: callers pass field
 * numbers.
 */

#define PROTOBUF_DEPTH_MAX 8

struct protobuf {
    uint8_t *bytes;
    size_t length, capacity;
    size_t open[PROTOBUF_DEPTH_MAX]; /* where the content of each open message begins */
    size_t depth;
};

/* Frees the buffer. A buffer that is all zeroes is empty. */
void protobuf_free(struct protobuf *buffer);
/* Empties the buffer and keeps its memory. No message may be open. */
void protobuf_clear(struct protobuf *buffer);

/* Adds a field of type uint32, uint64, bool or enum; pass int32 and int64 sign-extended. */
void protobuf_number(struct protobuf *buffer, uint32_t field, uint64_t value);
/* Adds a field of type fixed64. */
void protobuf_fixed(struct protobuf *buffer, uint32_t field, uint64_t value);
/* Adds a field of type string or bytes. */
void protobuf_bytes(struct protobuf *buffer, uint32_t field, const void *bytes, size_t length);
void protobuf_text(struct protobuf *buffer, uint32_t field, const char *text);
/* Begins a field that is a message; fields up to protobuf_end() belong to it. */
void protobuf_begin(struct protobuf *buffer, uint32_t field);
void protobuf_end(struct protobuf *buffer);
