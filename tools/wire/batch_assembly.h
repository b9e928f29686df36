/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assembly of the samples of series from the frames of a batch. trace_assembly.h does the same for
 * the frames of a trace.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/record.h"
#include "tools/base/spool.h"
#include "tools/run/run.h"

/* Contents of a `series` record. */
struct series_claim {
    uint16_t stream;
    uint16_t batch; /* stream of the frames that hold its samples */
    uint32_t n;
    bool has_crc; /* false if only the batch has a CRC */
    uint32_t crc;
};

/* Reads a `series` record. Returns false if a number is absent, out of range, or inconsistent with
 * the others: the stream of a series must come after that of its batch. */
bool series_claim_read(const struct record *record, struct series_claim *claim);

/* Writes "frame 1" or "frames 1..2", "sample 1" or "samples 1..2", for the range [from, to). */
#define SERIES_RANGE_TEXT 48
const char *series_range_text(char text[SERIES_RANGE_TEXT], const char *noun, uint32_t from,
                              uint32_t to);

/* A frame of samples that has arrived. */
struct sample_frame {
    uint32_t seq;
    uint16_t length;
    const uint8_t *payload; /* NULL: it is in the spool */
    uint64_t at;            /* offset in the spool */
};

/* Contents of a `batch` record. */
struct batch_claim {
    uint16_t stream;
    /* false: the record is lost; the batch is known only from its series, and `frames` and `series`
     * are not known */
    bool has_record;
    uint32_t frames;
    uint32_t series;
    bool has_crc; /* false: the series have CRCs instead */
    uint32_t crc; /* coded_batch_crc() of the series that have samples */
};

/* Reads a `batch` record. Returns false if a number is absent, out of range, or inconsistent with
 * the others: a frame holds at least one sample. */
bool batch_claim_read(const struct record *record, struct batch_claim *claim);

/* A series of the batch. */
struct batch_member {
    const struct series_claim *claim;
    struct run_series *series;
    const char *name; /* text with which its losses begin */
    bool in_file;     /* its samples go to a file */
};

/* Fills the members, which must be in the order of their streams, from the frames, which must be in
 * order of seq and without duplicates. What is missing or contradicts a claim becomes a loss.
 * Samples of a series that is not a member are left out: its record is lost, which is reported. */
void batch_assemble(struct run *run, const struct batch_claim *claim,
                    const struct batch_member *members, size_t count, struct spool *spool,
                    const struct sample_frame *frames, size_t frame_count, bool mixed);
