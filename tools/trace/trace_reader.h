/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of traces: reads the packets (kernel/trace/packet.h) one event after the other. It needs
 * memory for one packet of each processor, whatever the length of the trace.
 *
 * A part of a trace has one trace for each processor. The reader merges them: it returns the events
 * of all in the order of their stamps, and of equal stamps that of the lower processor first.
 *
 * The bytes may be damaged or forged. An invalid packet is skipped as a whole and counts as lost,
 * and no field has an effect beyond its packet.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/trace/packet.h"
#include "kernel/trace/trace.h"
#include "tools/run/run.h"

#define TRACE_FIELDS_MAX 5

/* An event class of the table of events. */
struct trace_class {
    const char *name; /* NULL: there is no such event */
    size_t field_count;
    const char *field_name[TRACE_FIELDS_MAX];
    uint8_t field_bytes[TRACE_FIELDS_MAX]; /* 1, 2, 4 or 8, unsigned */
    size_t bytes;                          /* sum of the bytes of all fields */
};
/* Returns the class with this id, or NULL if there is none. */
const struct trace_class *trace_class_of(uint32_t id);

struct trace_event {
    uint64_t tsc;
    uint32_t cpu; /* the processor whose trace it is in */
    uint32_t id;
    /* the record had an extended header, and cost run_trace.costs.extended */
    bool extended;
    /* ticks for opening its packet, immediately before it; 0: not the first event of its packet */
    uint32_t tracer_ticks;
    uint64_t field[TRACE_FIELDS_MAX]; /* fields of the class; the others are 0 */
};

/* An interval about which nothing is known of one processor. */
struct trace_gap {
    uint32_t cpu;
    uint64_t from;      /* TSC of the last event before it, or of the start of the trace */
    uint64_t to;        /* TSC of the start of the next packet, or of the end of the trace */
    uint64_t packets;   /* packets that were lost on the line or damaged */
    uint64_t discarded; /* records that were discarded for lack of space, or overwritten */
};

enum trace_reader_status {
    TRACE_EVENT, /* *event is filled */
    TRACE_GAP,   /* *gap is filled; it lies between the previous and the next event */
    TRACE_END,
    TRACE_ERROR, /* the bytes could not be read from where they are stored */
};

struct trace_reader;

/* Opens a part: the traces of `processors` processors, at least 1. Pass a trace and 1 to read only
 * that one. */
struct trace_reader *trace_reader_open(const struct run_trace *traces, size_t processors);
void trace_reader_close(struct trace_reader *reader);

/* Reads the next event or gap. A gap comes before all events of later stamps than `gap->from`.
 * Stamps of a processor never decrease, neither from event to event nor across gaps, and lie within
 * the start and end of its trace. Records discarded within a packet are reported in
 * the gap before it. If the trace overwrote packets, the first packet number is known only from the
 * last packet. If that is lost too, packets lost at the start are counted in the gap at the end. */
enum trace_reader_status trace_reader_next(struct trace_reader *reader, struct trace_event *event,
                                           struct trace_gap *gap);
