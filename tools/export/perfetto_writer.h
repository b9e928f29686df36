/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets of a Perfetto trace (protos/perfetto/trace/ of github.com/google/perfetto): tracks,
 * slices and instants on them as TrackEvents, switches and wakings of threads as events of ftrace,
 * from which viewers draw processors and states of threads. Names are interned: each is written
 * once.
 *
 * Stamps are nanoseconds of one clock.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct perfetto_writer;

/* A failure shows in ferror() of `out`. */
struct perfetto_writer *perfetto_create(FILE *out);
/* Bytes written, and held back, since it was created or turned. */
uint64_t perfetto_bytes(const struct perfetto_writer *writer);
/* Writes what is held back. */
void perfetto_flush(struct perfetto_writer *writer);
/* After perfetto_flush(). What follows goes to `out` and is a trace by itself: tracks that are to
 * be in it are announced again. */
void perfetto_turn(struct perfetto_writer *writer, FILE *out);
/* Writes what is held back, and frees. */
void perfetto_destroy(struct perfetto_writer *writer);

/* A track's number is unique in the trace and not 0. Announce a track before its first event. A
 * process and a thread also stand for those of the events of ftrace that have the same tid. */
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

/* A named value of an event. */
struct perfetto_note {
    const char *name;
    enum perfetto_note_type type;
    uint64_t value;
    const char *text;
};

enum perfetto_event_type {
    PERFETTO_BEGIN,   /* of a slice */
    PERFETTO_END,     /* of the innermost slice of the track */
    PERFETTO_INSTANT, /* of no length */
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

/* As Linux has them: tid 0 is the idle thread; prev_state 0: it goes on being ready. */
struct perfetto_switch {
    uint64_t ns;
    uint32_t cpu;
    const char *prev_comm, *next_comm;
    int32_t prev_tid, next_tid;
    int32_t prev_prio, next_prio;
    int64_t prev_state;
};
void perfetto_switch(struct perfetto_writer *writer, const struct perfetto_switch *event);

struct perfetto_waking {
    uint64_t ns;
    uint32_t cpu;
    int32_t by_tid; /* the running thread */
    const char *comm;
    int32_t tid;
    int32_t prio;
};
void perfetto_waking(struct perfetto_writer *writer, const struct perfetto_waking *event);

/* Before the next switch or waking of the processor some may have been lost. */
void perfetto_lost(struct perfetto_writer *writer, uint32_t cpu);

/*
 * A writer of messages in the wire format of Protocol Buffers
 * (protobuf.dev/programming-guides/encoding), in memory. It knows no schema: callers give field
 * numbers.
 */

#define PROTOBUF_DEPTH_MAX 8

struct protobuf {
    uint8_t *bytes;
    size_t length, capacity;
    size_t open[PROTOBUF_DEPTH_MAX]; /* where the content of each open message begins */
    size_t depth;
};

/* One that is all zeroes is empty. */
void protobuf_free(struct protobuf *buffer);
/* Empties it, and keeps its memory. No message may be open. */
void protobuf_clear(struct protobuf *buffer);

/* uint32, uint64, bool and enum; int32 and int64 are given sign-extended. */
void protobuf_number(struct protobuf *buffer, uint32_t field, uint64_t value);
/* string and bytes. */
void protobuf_bytes(struct protobuf *buffer, uint32_t field, const void *bytes, size_t length);
void protobuf_text(struct protobuf *buffer, uint32_t field, const char *text);
/* Fields up to the end are those of a message that is this field. */
void protobuf_begin(struct protobuf *buffer, uint32_t field);
void protobuf_end(struct protobuf *buffer);
