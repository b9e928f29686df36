/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assembly of the run model from records and frames, after the decoder has received all bytes.
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
#include "tools/wire/live_noise.h"
#include "tools/wire/trace_assembly.h"

/* A series of the run whose samples are not assembled yet. */
struct open_series {
    struct series_claim claim;
    size_t bench, series; /* indices, because pointers move as the lists grow */
};

/* A trace of the run whose packets are not assembled yet. */
struct open_trace {
    struct trace_claim claim;
    size_t bench, trace; /* indices */
};

struct assembly {
    struct run *run;
    size_t heap_samples; /* bytes of samples on the heap */
    bool mixed;          /* frames of two runs arrived: incomplete series and traces are left out */
    bool in_crash;       /* further `frame` records belong to the last crash */
    /* text of the plan so far, without a terminating NUL; NULL: no plan was sent */
    char *plan;
    size_t plan_length, plan_capacity;
    uint8_t streams[(UINT16_MAX + 1) / 8]; /* a bit for each stream: a record describes it */
    struct open_series *open;
    size_t open_count, open_capacity;
    struct batch_claim *batches;
    size_t batch_count, batch_capacity;
    struct open_trace *traces;
    size_t trace_count, trace_capacity;
};

void assembly_init(struct assembly *assembly, struct run *run);
void assembly_free(struct assembly *assembly);

/* Handles the text of one META frame, which consists of whole lines. A line that is not a record
 * becomes a loss. */
void assembly_meta(struct assembly *assembly, uint32_t seq, const uint8_t *text, size_t length);
/* Records that META frames [first, first + count) are lost. */
void assembly_meta_lost(struct assembly *assembly, uint32_t first, uint32_t count);
/* Call after the last META frame: completes the plan, turns a bench without a status into an ERROR
 * with its progress as partial result, and adds a loss for counts that do not match their series.
 */
void assembly_close_benches(struct assembly *assembly, const struct live_noise *progress);
/* Call after the last META frame. Adds the manual and the note of the tables (kernel/pmu/event.h)
 * to each portable event that was counted by the code that the tables give for it. */
void assembly_name_events(struct assembly *assembly);

/* Call after assembly_close_benches(), before assembly_batch(). Adds each batch whose own record is
 * lost, if the record of one of its series is there. */
void assembly_close_batches(struct assembly *assembly);

/* Fills the series of a batch from its frames, which must be in order of seq and without
 * duplicates. */
void assembly_batch(struct assembly *assembly, const struct batch_claim *claim, struct spool *spool,
                    const struct sample_frame *frames, size_t count);

/* Fills a trace from its frames, whose payloads are in the spool. The frames must be in order of
 * seq and without duplicates. */
void assembly_trace(struct assembly *assembly, const struct open_trace *open, struct spool *spool,
                    const struct trace_frame *frames, size_t count);

/*
 * The records of one payload: lines of text, one after the other (kernel/link/record.h).
 */

/* The record lines of a META or END frame, one after the other. */
struct record_lines {
    char text[TEXT_CODEC_RAW_MAX + 1];
    char *next; /* next line to read */
    char *end;
};

/* Begins reading. `text` is the decoded content of a frame, at most TEXT_CODEC_RAW_MAX bytes. */
void record_lines_open(struct record_lines *lines, const uint8_t *text, size_t length);

/* Reads the next line. Returns false after the last one. Otherwise sets *parsed to whether the line
 * is a record; the record is valid as long as `lines`. */
bool record_lines_next(struct record_lines *lines, struct record *record, bool *parsed);
