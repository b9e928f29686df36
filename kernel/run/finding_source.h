/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A source for the rules of findings (kernel/run/finding.h) in the image: reads the records that
 * the link keeps and the samples from which series were published. Nothing is copied while benches
 * run. Pure.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/run/finding.h"

#define KEPT_BENCHES 128
#define KEPT_SERIES  64
#define KEPT_BYTES   8192

/* Answers given so far about one run: texts, and series whose statistics were computed. A text that
 * does not fit is reported as unknown; the statistics of a series that does not fit are computed
 * again. */
struct kept_answers {
    char text[KEPT_BYTES];
    size_t text_length;
    size_t series_count;
    struct kept_series {
        const int64_t *samples;
        struct finding_series series;
    } series[KEPT_SERIES];
};

struct kept {
    const char *records;
    size_t length;
    const int64_t *(*samples)(uint64_t stream, size_t *count);
    struct kept_answers *answers;
    /* The records of each bench, from the end of its first record to those of the next bench. */
    size_t bench_count;
    struct kept_bench {
        const char *name;
        size_t begin, end;
    } bench[KEPT_BENCHES];
};

/* Reads which benches there are. `records` are `length` bytes, whole lines; `samples` returns the
 * samples of a stream (link_samples()). `answers` must be of the same run, from an earlier call, or
 * zeros. Benches beyond KEPT_BENCHES are not known. */
void kept_read(struct kept *kept, const char *records, size_t length,
               const int64_t *(*samples)(uint64_t stream, size_t *count),
               struct kept_answers *answers);

/* Returns a source, of the first pass of each bench; the caller must set its time and clock. */
struct finding_source kept_source(const struct kept *kept);
