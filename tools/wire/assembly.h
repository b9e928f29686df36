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
#include "kernel/link/text_codec.h"
#include "tools/base/spool.h"
#include "tools/run/run.h"
#include "tools/wire/batch_assembly.h"
#include "tools/wire/trace_assembly.h"

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
    struct batch_claim *batches;
    size_t batch_count, batch_capacity;
    struct open_trace *traces;
    size_t trace_count, trace_capacity;
};

void assembly_init(struct assembly *assembly, struct run *run);
void assembly_free(struct assembly *assembly);

/* The text of one META frame: whole lines. What is no record becomes a loss. */
void assembly_meta(struct assembly *assembly, uint32_t seq, const uint8_t *text, size_t length);
/* META frames [first, first + count) are lost. */
void assembly_meta_lost(struct assembly *assembly, uint32_t first, uint32_t count);
/* After the last META frame: the plan is whole, a bench without a status becomes an ERROR, and
 * counts that do not fit the series they are of become a loss. */
void assembly_close_benches(struct assembly *assembly);
/* After the last META frame as well: what the tables (kernel/pmu/event.h) know of each portable
 * event that was counted by the code they give it. */
void assembly_name_events(struct assembly *assembly);

/* After that: batches whose record is lost are known from their series as well. */
void assembly_close_batches(struct assembly *assembly);

/* Fills the series of a batch from its frames, which are in order of seq and of which none is
 * double. */
void assembly_batch(struct assembly *assembly, const struct batch_claim *claim, struct spool *spool,
                    const struct sample_frame *frames, size_t count);

/* The same for a trace, whose frames' payloads lie in the spool. */
void assembly_trace(struct assembly *assembly, const struct open_trace *open, struct spool *spool,
                    const struct trace_frame *frames, size_t count);

/*
 * The records of one payload: lines of text, one after the other (kernel/link/record.h).
 */

/* The record lines of a META or END frame, one after the other. */
struct record_lines {
    char text[TEXT_CODEC_RAW_MAX + 1];
    char *next; /* line to read */
    char *end;
};

/* `text`: what a frame holds, decoded; at most TEXT_CODEC_RAW_MAX bytes. */
void record_lines_open(struct record_lines *lines, const uint8_t *text, size_t length);

/* False behind the last line; else *parsed: the line is a record. It is valid as long
 * as `lines`. */
bool record_lines_next(struct record_lines *lines, struct record *record, bool *parsed);
