/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes synthetic logs with the encoders of the image, and remembers what is in them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/frame.h"
#include "kernel/link/record.h"
#include "kernel/link/seal.h"
#include "tools/run/run.h"

/* A series or a trace as it was added. */
struct log_truth {
    char bench[32];
    uint32_t pass;
    char name[32];
    uint32_t part; /* part of a trace, which has no name; 0: a series */
    uint16_t stream;
    uint16_t batch; /* for a series: the stream of its frames */
    int64_t *samples;
    uint8_t *packets;
    size_t n; /* samples, or packets */
};

#define LOG_PACKET_RECORDS 901

struct log_builder {
    enum frame_format format;
    size_t payload_max;   /* bytes of payload a frame takes; log_init() sets it by the format */
    struct frame *frames; /* in the order of sending */
    size_t frame_count, frame_capacity;
    struct log_truth *truths;
    size_t truth_count, truth_capacity;
    uint32_t meta_frames;
    const char *run; /* the id in the frames; NULL: none */
    char *text;      /* records that are in no frame yet */
    size_t text_length, text_capacity;
    uint16_t stream_count;
    uint16_t batch;            /* the stream of the open batch; 0: none */
    unsigned batch_size;       /* series in it */
    uint32_t cpu;              /* of the traces that follow */
    uint32_t pass;             /* pass of the series that follow; 0: not in their records */
    struct seal meta_seal;     /* of the text of the frames so far */
    const char *const *events; /* counted in these series, with NULL at the end; or NULL */
};

/* Makes `frame` a META frame of a run without an id, with as many whole lines of `text` as fit.
 * Returns the number of bytes used. */
size_t log_meta_frame(struct frame *frame, uint32_t seq, const char *text, size_t length);

void log_init(struct log_builder *log, enum frame_format format);
void log_free(struct log_builder *log);

/* Adds a complete record. */
void log_record(struct log_builder *log, const char *line);
/* The same with a format. */
__attribute__((format(printf, 2, 3))) void log_recordf(struct log_builder *log, const char *format,
                                                       ...);
/* Adds the series record and the frames of its samples, which precede later records. Up to
 * four consecutive series form a batch. */
void log_series(struct log_builder *log, const char *bench, const char *name, const char *unit,
                const int64_t *samples, size_t n);
/* The same for the counts of an event in each sample of series `of`; its name is "OF.EVENT". */
void log_counts(struct log_builder *log, const char *bench, const char *of, const char *event,
                const int64_t *samples, size_t n);
/* Adds the record of a trace of `n` packets that keeps `kept` records, followed by its frames, as
 * the image does. */
void log_trace(struct log_builder *log, const char *bench, uint32_t part, const uint8_t *packets,
               size_t n, uint64_t kept);
/* Returns `n` packets full of thread switches, LOG_PACKET_RECORDS in each, with sequence numbers
 * from `first` on. The caller frees them. */
uint8_t *log_packets(uint64_t first, size_t n, uint64_t seed);
/* Returns the series or trace of a stream; NULL if there is none. */
const struct log_truth *log_truth_of(const struct log_builder *log, uint16_t stream);
/* Closes the log with END, which has a seal. */
void log_end(struct log_builder *log);
/* Takes the seal out of the END of a closed log: so it is a log of an older image. */
void log_unseal(struct log_builder *log);

/* A run of four benches with plausible numbers and known answers: `idle` and `load` of `samples`
 * samples each, `gap`, and `clock`. They depend only on the seed. */
void log_plausible(struct log_builder *log, size_t samples, uint64_t seed);

/* A run that counts: `idle` of `samples` samples twice, `gap` with SMIs, and `counters`. The first
 * pass of `idle` counts cycles, instructions and interrupts, the second instructions, dtlb-misses,
 * branches and mispredicts, each in floor, ticking and handler as log_count() computes. */
void log_counted(struct log_builder *log, size_t samples, uint64_t seed);

/* A run that traces: bench `switches` with names, two parts of a trace and a series of `samples`
 * samples in between. */
void log_traced(struct log_builder *log, size_t samples, uint64_t seed);

/* The count of an event that log_counted() adds for a sample of `ticks`: cycles 5/4 of them,
 * instructions 1/2, branches 1/4, one interrupt in a sample longer than the floor by 1000, and 5 of
 * any other event there; otherwise 1 for each length of the floor. */
int64_t log_count(const char *event, int64_t ticks);

/* Returns the bytes of all frames, with a line of text before each if `text`. The caller frees
 * them. */
uint8_t *log_wire(const struct log_builder *log, bool text, size_t *length);

/* Returns whether every sample of the run equals the one added at its index, and every packet of
 * its traces is one that was added, in the same order. */
bool log_samples_are_true(const struct log_builder *log, const struct run *run);
/* The same, and whether they are complete, with no loss. */
bool log_is_whole(const struct log_builder *log, const struct run *run);
