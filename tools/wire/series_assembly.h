/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The samples of one series: what its record claims, and what the frames of its batch
 * (batch_assembly.h) have of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/record.h"
#include "tools/base/spool.h"
#include "tools/run/run.h"
#include "tools/run/series.h"

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

/* A series that is being filled. */
struct series_filling {
    struct run *run;
    const struct series_claim *claim;
    const char *name; /* with which losses begin */
    struct run_series *series;
    struct samples_writer writer;
    uint32_t sample; /* those before this one are dealt with */
    uint32_t crc;    /* of the samples so far */
    size_t range_capacity;
};

/* The samples go to a file if `in_file`, else to the heap. */
void series_begin(struct series_filling *filling, struct run *run, struct run_series *series,
                  const char *name, const struct series_claim *claim, bool in_file);
/* Samples [first, first + count); none before them comes any more. False: a file does not give back
 * what it took. */
bool series_put(struct series_filling *filling, uint32_t first, const int64_t *samples,
                size_t count);
/* After the last. `ok`: every series_put() was true. Of a log of two runs (`mixed`) a series that
 * is not whole has no samples: they may be the other's. */
void series_end(struct series_filling *filling, bool ok, bool mixed);

/* Leaves out a whole series of a batch whose CRC is wrong. */
void series_drop(struct run *run, struct run_series *series, const char *name);

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
