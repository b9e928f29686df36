/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assembly of the packets of a trace from its frames. batch_assembly.h does the same for samples.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/record.h"
#include "tools/base/spool.h"
#include "tools/run/run.h"

/* Read a 32-bit number, or the number of a stream above 0, from a record. They return false if it
 * is absent or out of range. */
bool claim_number(const struct record *record, const char *key, uint32_t *number);
bool claim_stream(const struct record *record, const char *key, uint16_t *stream);

/* Contents of a `trace` record. */
struct trace_claim {
    uint16_t stream;
    uint32_t frames;
    uint64_t bytes;
    uint32_t crc; /* CRC of the packets, with zeroes after the content of each */
};

/* Reads a `trace` record. Returns false if a number is absent, out of range, or inconsistent with
 * the others. A trace consists of whole packets of TRACE_PACKET_BYTES. */
bool trace_claim_read(const struct record *record, struct trace_claim *claim);

/* A frame that has arrived. */
struct trace_frame {
    uint32_t seq;
    uint16_t length;
    uint64_t at; /* place of the payload in the spool */
};

/* Gives the trace its complete packets, in order, from its frames, which must be in order of seq
 * and without duplicates. What is missing or contradicts the claim becomes a loss of the run that
 * begins with `name`. In a log of two runs (`mixed`), an incomplete trace gets no packets, because
 * they may belong to the other run. */
void trace_assemble(struct run *run, struct run_trace *trace, const char *name,
                    const struct trace_claim *claim, struct spool *spool,
                    const struct trace_frame *frames, size_t count, bool mixed);
