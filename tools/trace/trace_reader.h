/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the packets of a trace (kernel/trace/packet.h) one event after the other, packet by packet:
 * memory for one packet, whatever the length.
 *
 * The bytes may be damaged or made up: a packet that is not as it must be is skipped whole and
 * counts as lost; no field is believed beyond its packet.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/trace/packet.h"
#include "kernel/trace/trace.h"
#include "tools/run/run.h"

#define TRACE_FIELDS_MAX 5

/* An event class of the table. */
struct trace_class {
    const char *name; /* NULL: no such event */
    size_t field_count;
    const char *field_name[TRACE_FIELDS_MAX];
    uint8_t field_bytes[TRACE_FIELDS_MAX]; /* 1, 2, 4 or 8, unsigned */
    size_t bytes;                          /* of all fields */
};
/* By id; NULL where there is none. */
const struct trace_class *trace_class_of(uint32_t id);

struct trace_event {
    uint64_t tsc;
    uint32_t id;
    bool extended;         /* it went the long way: it cost run_trace.costs.extended */
    uint32_t tracer_ticks; /* opening its packet took this much right before it; 0: not the first */
    uint64_t field[TRACE_FIELDS_MAX]; /* 0 beyond those of its class */
};

/* A stretch of the trace of which nothing is known. */
struct trace_gap {
    uint64_t from;      /* TSC: of the last event before it, or of the trace's begin */
    uint64_t to;        /* of the begin of the packet behind it, or of the trace's end */
    uint64_t packets;   /* lost on the line or damaged */
    uint64_t discarded; /* records that found no room, or were overwritten */
};

enum trace_reader_status {
    TRACE_EVENT, /* *event is filled */
    TRACE_GAP,   /* *gap is filled: it lies between the events before and behind it */
    TRACE_END,
    TRACE_ERROR, /* the bytes could not be read from where they are kept */
};

struct trace_reader;

struct trace_reader *trace_reader_open(const struct run_trace *trace);
void trace_reader_close(struct trace_reader *reader);

/* Stamps never go back, neither from event to event nor across gaps, and lie within the trace's
 * begin and end. Records discarded within a packet are reported in the gap before it. In a trace
 * that overwrote, the first number is known only from the last packet. If that is lost too, packets
 * lost at the begin count in the gap at the end. */
enum trace_reader_status trace_reader_next(struct trace_reader *reader, struct trace_event *event,
                                           struct trace_gap *gap);
