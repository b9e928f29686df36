/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where two exact runs differ: the first place, and how far it goes.
 *
 * Things are compared in the order in which they happened: the machine, its clocks and the plan
 * (the set-up); then each bench in its turn: what it was asked, the records of its traces, its
 * series as it published them, its facts and its state. What differs by nature between two images
 * is left out: the run's number, the image's checksum and what the host notes of the log.
 *
 * Pure: it reads two runs and prints nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/run/run.h"

#define DIFF_WHAT_MAX  160
#define DIFF_VALUE_MAX 200

enum diff_place {
    DIFF_SETUP,  /* of the machine, the clocks, the plan */
    DIFF_BENCH,  /* a fact, a parameter, the state of a bench; the extent of a trace */
    DIFF_RECORD, /* records of a part of a trace */
    DIFF_SAMPLE, /* samples of a series */
    DIFF_PLACES,
};

/* One thing that differs, and where it does so first. */
struct diff_item {
    enum diff_place place;
    const char *bench;        /* NULL: none */
    uint32_t pass;            /* of the bench */
    char what[DIFF_WHAT_MAX]; /* "fact elapsed", "series cost", "trace part 1" */
    uint64_t first;           /* number of the first record or sample that differs, from 0 */
    uint64_t count;           /* of them that differ; 1 where the place has no numbers */
    uint64_t total;           /* of them, in the run that has more */
    char a[DIFF_VALUE_MAX];   /* the first one's; "-": missing */
    char b[DIFF_VALUE_MAX];
    bool has_tsc; /* when, in the first run: of a record */
    uint64_t tsc;
    bool has_shift;      /* both are numbers: b - a */
    int64_t first_shift; /* b - a of the first one that differs */
    int64_t low, high;   /* least and greatest b - a of all that differ */
    bool constant;       /* b - a is the same from the first one on */
};

/* A bench as a whole. */
struct diff_bench {
    const char *name;
    uint32_t pass;
    size_t number;         /* of those of the run, from 1 */
    bool has_began;        /* it reports when it ran */
    uint64_t began, ended; /* TSC, of the first run */
};

struct diff {
    struct diff_item *item; /* in order of time */
    size_t count, capacity;
    size_t at;        /* of the first one of a bench; of the set-up where no bench differs */
    size_t sample_at; /* of the first series that differs; `count`: none does */
    size_t bench_total, series_total;
    uint64_t record_total, sample_total;
    size_t benches, series;    /* that differ */
    uint64_t records, samples; /* that differ */
    bool stamps_differ;        /* of records and of benches: the differences b - a are */
    int64_t stamp_low, stamp_high;
};

/* NULL, or why these cannot be compared; `text` may hold it. */
#define DIFF_REASON_MAX 256
const char *diff_objection(const struct run *a, const struct run *b, char text[DIFF_REASON_MAX]);

/* False: a trace cannot be read from its file; errno is not set. */
bool diff_runs(struct diff *diff, const struct run *a, const struct run *b);
void diff_free(struct diff *diff);

/* The bench of an item in the first run; false: it has none. */
bool diff_bench_of(const struct run *a, const struct diff_item *item, struct diff_bench *bench);

/* Adds an item with place, bench and what set, and returns it, valid until the next one. */
struct diff_item *diff_add(struct diff *diff, enum diff_place place, const struct run_bench *bench);

/* One more record or sample of the item, `number`, differs; `known`: b - a is `shift`. */
void diff_note_shift(struct diff_item *item, uint64_t number, bool known, int64_t shift);

/* Both: parts of the traces of a bench, beside each other. */
bool diff_traces(struct diff *diff, const struct run_bench *a, const struct run_bench *b);

/* What is printed: for people, and
 *
 * {"schema": "tare diff", "version": 1, "a": file, "b": file, "equal", "ticks_per_instruction",
 *  "first": null or index of "differences",
 *  "running": null or {"bench", "pass", "number", "began", "ended"},
 *  "benches": {"differ", "total"}, "series", "samples", "records": the same,
 *  "stamps": null or {"low", "high"},
 *  "differences": [{"place": "setup|bench|record|sample", "bench", "pass", "what", "first",
 * "count", "total", "a", "b", "tsc", "shift", "low", "high", "constant"}]}
 */
struct diff_names {
    const char *a, *b; /* files */
};
void diff_print(FILE *out, const struct diff *diff, const struct run *a,
                const struct diff_names *names, bool all);
void diff_json(FILE *out, const struct diff *diff, const struct run *a,
               const struct diff_names *names);
