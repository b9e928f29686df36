/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writer of traces (kernel/trace/packet.h) from events with given stamps: for a simulated machine,
 * for tests, or for part of a trace. It does what a recorder does by itself (extended headers, new
 * packets). A trace is completely in memory or in a spool.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/spool.h"
#include "tools/run/run.h"
#include "tools/trace/trace_reader.h"

struct trace_builder {
    uint32_t packet_bytes;
    uint32_t cpu;   /* 0 by default; may be set before the end */
    uint32_t part;  /* 0 (default): the next of its bench; may be set before the end */
    uint64_t begin; /* start of the trace */
    uint8_t *bytes; /* the finished packets, and space for the open one */
    size_t length;
    size_t capacity;
    size_t used;    /* bytes used of the open packet */
    uint64_t stamp; /* stamp of its last record */
    bool lost;      /* the open packet will not arrive */
    struct trace_packet packet;
    uint64_t kept; /* records made, including those of lost packets */
    uint64_t discarded;
    uint64_t overwritten;
    uint64_t claimed; /* packets made, except those that were overwritten */
    /* Spool that takes the packets one after the other, except packets without a record; NULL:
     * packets go to `bytes`. */
    struct spool *spool;
    struct spool_extent extent;
    bool failed; /* the spool could not take all packets */
};

/* Begins a trace with packets of `packet_bytes`; the first begins at `begin`. */
void trace_builder_init(struct trace_builder *builder, uint64_t begin, uint32_t packet_bytes);

/* Adds a record, in a new packet if it does not fit. It gets an extended header if the upper bits
 * of the stamp changed, if the id has no other form, or if `extended` is true. */
void trace_builder_add(struct trace_builder *builder, uint64_t tsc, uint32_t id,
                       const uint64_t fields[TRACE_FIELDS_MAX], bool extended);

/* Adds a record by its name: TRACE_ADD(&builder, 100, thread_switch, 1, 2, TRACE_WHY(...)). */
#define TRACE_ADD(builder, tsc, name, ...)               \
    trace_builder_add((builder), (tsc), TRACE_ID_##name, \
                      (const uint64_t[TRACE_FIELDS_MAX]){__VA_ARGS__}, false)

/* Closes the open packet at `end` and opens the next at `begin`; opening it took `tracer_ticks`. */
void trace_builder_turn(struct trace_builder *builder, uint64_t end, uint64_t begin,
                        uint32_t tracer_ticks);

/* Closes the open packet at `end`. No record may follow. */
void trace_builder_close(struct trace_builder *builder, uint64_t end);

/* Ends the trace and adds it to the bench as its next part. Frees the builder. */
struct run_trace *trace_builder_finish(struct trace_builder *builder, uint64_t end,
                                       struct run_bench *bench);

/* Names an object that events refer to. */
void trace_builder_name(struct run_bench *bench, const char *kind, uint32_t id, const char *name);
