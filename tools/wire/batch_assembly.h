/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the frames of a batch to the samples of its series: what trace_assembly.h does with the
 * frames of a trace.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/record.h"
#include "tools/base/spool.h"
#include "tools/run/run.h"

/* What a `series` record claims. */
struct series_claim {
    uint16_t stream;
    uint16_t batch; /* the stream of the frames that have its samples */
    uint32_t n;
    bool has_crc; /* it need not have one: the batch has */
    uint32_t crc;
};

/* Reads a `series` record. False where a number is absent, out of range, or at odds with the
 * others: the stream of a series comes after that of its batch. */
bool series_claim_read(const struct record *record, struct series_claim *claim);

/* "frame 1" or "frames 1..2", "sample 1" or "samples 1..2": of [from, to). */
#define SERIES_RANGE_TEXT 48
const char *series_range_text(char text[SERIES_RANGE_TEXT], const char *noun, uint32_t from,
                              uint32_t to);

/* A frame of samples that is held. */
struct sample_frame {
    uint32_t seq;
    uint16_t length;
    const uint8_t *payload; /* NULL: it lies in the spool */
    uint64_t at;            /* there */
};

/* What a `batch` record claims. */
struct batch_claim {
    uint16_t stream;
    bool has_record; /* else it is known from its series alone, and `frames` and `series` are not */
    uint32_t frames;
    uint32_t series;
    bool has_crc; /* else its series have theirs */
    uint32_t crc; /* coded_batch_crc(), of series that have samples */
};

/* Reads a `batch` record. False where a number is absent, out of range, or at odds with the
 * others: a frame holds at least one sample. */
bool batch_claim_read(const struct record *record, struct batch_claim *claim);

/* A series of the batch. */
struct batch_member {
    const struct series_claim *claim;
    struct run_series *series;
    const char *name; /* with which its losses begin */
    bool in_file;     /* where its samples go */
};

/* Fills the members, which are in the order of their streams, from the frames, which are in order
 * of seq and of which none is double. What is missing, or contradicts a claim, becomes a loss.
 * Samples of a series that is no member are left out: its record is lost, which is named. */
void batch_assemble(struct run *run, const struct batch_claim *claim,
                    const struct batch_member *members, size_t count, struct spool *spool,
                    const struct sample_frame *frames, size_t frame_count, bool mixed);
