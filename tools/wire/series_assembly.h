/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the frames of a series to its samples: what trace_assembly.h does with the frames of a
 * trace.
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
    uint32_t n;
    uint32_t frames;
    uint32_t crc;
    int64_t nominal;
};

/* Reads a `series` record. False where a number is absent, out of range, or at odds with the
 * others: a frame holds at least one sample and at most as many as its payload has bytes. */
bool series_claim_read(const struct record *record, struct series_claim *claim);

/* A frame of samples that is held. */
struct sample_frame {
    uint32_t seq;
    uint16_t length;
    const uint8_t *payload; /* NULL: it lies in the spool */
    uint64_t at;            /* there */
};

/* Fills the series from its frames, which are in order of seq and of which none is double. The
 * samples go to a file if `in_file`, else to the heap. What is missing, or contradicts the claim,
 * becomes a loss of the run, which begins with `name`. Of a log of two runs (`mixed`) a series that
 * is not whole has no samples: they may be the other's. */
void series_assemble(struct run *run, struct run_series *series, const char *name,
                     const struct series_claim *claim, struct spool *spool,
                     const struct sample_frame *frames, size_t count, bool in_file, bool mixed);
