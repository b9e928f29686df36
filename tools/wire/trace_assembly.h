/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the frames of a trace to its packets: what batch_assembly.h does with those of samples.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/record.h"
#include "tools/base/spool.h"
#include "tools/run/run.h"

/* A number of a record that fits, of a stream above 0. False: it is absent, or does not fit. */
bool claim_number(const struct record *record, const char *key, uint32_t *number);
bool claim_stream(const struct record *record, const char *key, uint16_t *stream);

/* What a `trace` record claims. */
struct trace_claim {
    uint16_t stream;
    uint32_t frames;
    uint64_t bytes;
    uint32_t crc; /* of the packets, with zeroes after the content of each */
};

/* Reads a `trace` record. False where a number is absent, out of range, or at odds with the others.
 * It is about packets of TRACE_PACKET_BYTES, whole ones. */
bool trace_claim_read(const struct record *record, struct trace_claim *claim);

/* A frame that is held. */
struct trace_frame {
    uint32_t seq;
    uint16_t length;
    uint64_t at; /* of the payload in the spool */
};

/* Gives the trace the packets that are whole, in their order, from its frames, which are in order
 * of seq and of which none is double. What is missing, or is at odds with the claim, becomes a loss
 * of the run, that begins with `name`. Of a log of two runs (`mixed`) a trace that is not whole has
 * no packets: they may be the other's. */
void trace_assemble(struct run *run, struct run_trace *trace, const char *name,
                    const struct trace_claim *claim, struct spool *spool,
                    const struct trace_frame *frames, size_t count, bool mixed);
