/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes traces (kernel/trace/packet.h) of events with given stamps: of a machine that never was, a
 * simulated one or that of a test, or of part of a trace. What a recorder would do by itself
 * (extended headers, new packets) happens here as well. A trace is in memory as a whole, or in a
 * spool.
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
    uint32_t cpu;   /* 0; may be set before the end */
    uint64_t begin; /* of the trace */
    uint8_t *bytes; /* the packets that are kept, and room for the open one */
    size_t length;
    size_t capacity;
    size_t used;    /* of the open packet */
    uint64_t stamp; /* of its last record */
    bool lost;      /* the open packet will not arrive */
    struct trace_packet packet;
    uint64_t kept; /* records made; those of lost packets included */
    uint64_t discarded;
    uint64_t overwritten;
    uint64_t claimed; /* packets made, except those that were overwritten */
    /* Where packets go, one behind the other, those without a record left out; NULL: to `bytes`. */
    struct spool *spool;
    struct spool_extent extent;
    bool failed; /* the spool did not take them all */
};

/* Packets of `packet_bytes`; the first begins at `begin`. */
void trace_builder_init(struct trace_builder *builder, uint64_t begin, uint32_t packet_bytes);

/* A record, in a new packet where it does not fit; an extended header where the upper bits of the
 * stamp changed, of ids that have no other, or where `extended`. */
void trace_builder_add(struct trace_builder *builder, uint64_t tsc, uint32_t id,
                       const uint64_t fields[TRACE_FIELDS_MAX], bool extended);

/* The same by name: TRACE_ADD(&builder, 100, thread_switch, 1, 2, TRACE_WHY(...)). */
#define TRACE_ADD(builder, tsc, name, ...)               \
    trace_builder_add((builder), (tsc), TRACE_ID_##name, \
                      (const uint64_t[TRACE_FIELDS_MAX]){__VA_ARGS__}, false)

/* Closes the open packet at `end` and opens the next at `begin`, which took `tracer_ticks`. */
void trace_builder_turn(struct trace_builder *builder, uint64_t end, uint64_t begin,
                        uint32_t tracer_ticks);

/* Closes the open packet at `end`; none may follow. */
void trace_builder_close(struct trace_builder *builder, uint64_t end);

/* Ends the trace and adds it to the bench as its next part; frees the builder. */
struct run_trace *trace_builder_finish(struct trace_builder *builder, uint64_t end,
                                       struct run_bench *bench);

/* A name for what events speak of. */
void trace_builder_name(struct run_bench *bench, const char *kind, uint32_t id, const char *name);
