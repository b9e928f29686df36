/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From records and frames to the run model: what the decoder does once all bytes are in.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/frame.h"
#include "kernel/link/record.h"
#include "tools/base/spool.h"
#include "tools/run/run.h"
#include "tools/wire/trace_assembly.h"

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

/* A series of the run whose samples are still to come. */
struct open_series {
    struct series_claim claim;
    size_t bench, series; /* indices: pointers move as the lists grow */
};

/* A trace of the run whose packets are still to come. */
struct open_trace {
    struct trace_claim claim;
    size_t bench, trace; /* indices */
};

/* The record lines of a META or END payload, one after the other. */
struct record_lines {
    char text[FRAME_PAYLOAD_MAX + 1];
    char *next; /* line to read */
    char *end;
};

void record_lines_open(struct record_lines *lines, const uint8_t *payload, size_t length);

/* False behind the last line; else *parsed: the line is a record. It is valid as long
 * as `lines`. */
bool record_lines_next(struct record_lines *lines, struct record *record, bool *parsed);

struct assembly {
    struct run *run;
    size_t heap_samples; /* bytes of samples on the heap */
    bool mixed;          /* frames of two runs came: what is not whole is left out */
    bool in_crash;       /* `frame` records that follow belong to the last crash */
    char *plan;          /* its text so far, without an end; NULL: none was sent */
    size_t plan_length, plan_capacity;
    uint8_t streams[(UINT16_MAX + 1) / 8]; /* a bit each: a record describes it */
    struct open_series *open;
    size_t open_count, open_capacity;
    struct open_trace *traces;
    size_t trace_count, trace_capacity;
};

void assembly_init(struct assembly *assembly, struct run *run);
void assembly_free(struct assembly *assembly);

/* The payload of one META frame: whole lines. What is no record becomes a loss. */
void assembly_meta(struct assembly *assembly, uint32_t seq, const uint8_t *payload, size_t length);
/* META frames [first, first + count) are lost. */
void assembly_meta_lost(struct assembly *assembly, uint32_t first, uint32_t count);
/* After the last META frame: the plan is whole, a bench without a status becomes an ERROR, and
 * counts that do not fit the series they are of become a loss. */
void assembly_close_benches(struct assembly *assembly);
/* After the last META frame as well: what the tables (kernel/pmu/event.h) know of each portable
 * event that was counted by the code they give it. */
void assembly_name_events(struct assembly *assembly);

/* A frame of samples that is held. */
struct sample_frame {
    uint32_t seq;
    uint16_t length;
    const uint8_t *payload; /* NULL: it lies in the spool */
    uint64_t at;            /* there */
};

/* Fills one series from its frames, which are in order of seq and of which none is double. */
void assembly_series(struct assembly *assembly, const struct open_series *open, struct spool *spool,
                     const struct sample_frame *frames, size_t count);

/* The same for a trace, whose frames' payloads lie in the spool. */
void assembly_trace(struct assembly *assembly, const struct open_trace *open, struct spool *spool,
                    const struct trace_frame *frames, size_t count);
