/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the image remembers of a run, for rules of findings (kernel/run/finding.h): the records
 * that the link keeps, and the samples that series were published from. Nothing is copied while
 * benches run. Pure.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/run/finding.h"

#define KEPT_BENCHES 128
#define KEPT_SERIES  64
#define KEPT_BYTES   8192

/* What was asked for, of one run: texts, and series that were looked through. What finds no room is
 * not known (a text), or looked through again (a series). */
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
    /* The records of a bench, from behind its first to those of the next. */
    size_t bench_count;
    struct kept_bench {
        const char *name;
        size_t begin, end;
    } bench[KEPT_BENCHES];
};

/* `records` are `length` bytes, whole lines; `samples` has those of a stream (link_samples()). The
 * answers are of the same run, from earlier, or zeroes. Benches beyond KEPT_BENCHES are not known.
 */
void kept_read(struct kept *kept, const char *records, size_t length,
               const int64_t *(*samples)(uint64_t stream, size_t *count),
               struct kept_answers *answers);

/* A source whose time and clock are left to the caller. Of a bench that ran in several passes it
 * has the first. */
struct finding_source kept_source(const struct kept *kept);
