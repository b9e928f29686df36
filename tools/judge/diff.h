/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Differences between two exact runs: the first one, and how far they extend.
 *
 * Items are compared in the order in which they happened: the machine, its clocks and the plan (the
 * set-up); then each bench in turn: its parameters, the records of its traces, its series as
 * published, its facts and its state. What always differs between two images is left out: the run's
 * number, the image's checksum and what the host notes about the log.
 *
 * Reads two runs and prints nothing.
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
    DIFF_SETUP,  /* the machine, the clocks or the plan */
    DIFF_BENCH,  /* a fact, a parameter or the state of a bench, or the extent of a trace */
    DIFF_RECORD, /* records of a part of a trace */
    DIFF_SAMPLE, /* samples of a series */
    DIFF_PLACES,
};

/* One item that differs, and its first difference. */
struct diff_item {
    enum diff_place place;
    const char *bench;        /* NULL: none */
    uint32_t pass;            /* pass of the bench */
    char what[DIFF_WHAT_MAX]; /* name of the item: "fact elapsed", "series cost", "trace part 1" */
    uint64_t first;           /* number of the first differing record or sample, from 0 */
    /* number of differing records or samples; 1 if the place has no numbers */
    uint64_t count;
    uint64_t total;         /* number of records or samples in the run that has more */
    char a[DIFF_VALUE_MAX]; /* first differing value in run a; "-": missing */
    char b[DIFF_VALUE_MAX];
    bool has_tsc; /* `tsc` is the time of the record in the first run */
    uint64_t tsc;
    bool has_shift;      /* both are numbers, and b - a is known */
    int64_t first_shift; /* b - a of the first difference */
    int64_t low, high;   /* smallest and largest b - a of all differences */
    bool constant;       /* b - a is the same from the first difference on */
};

/* A bench. */
struct diff_bench {
    const char *name;
    uint32_t pass;
    size_t number;         /* number among the benches of the run, from 1 */
    bool has_began;        /* it reports when it ran */
    uint64_t began, ended; /* TSC in the first run */
};

struct diff {
    struct diff_item *item; /* in the order of time */
    size_t count, capacity;
    size_t at;        /* index of the first item of a bench, or of the set-up if no bench differs */
    size_t sample_at; /* index of the first series that differs; `count`: none */
    size_t bench_total, series_total;
    uint64_t record_total, sample_total;
    size_t benches, series;    /* numbers that differ */
    uint64_t records, samples; /* numbers that differ */
    bool stamps_differ;        /* time stamps of records and benches differ, by the b - a below */
    int64_t stamp_low, stamp_high;
};

/* Returns NULL, or the reason why these runs cannot be compared, which may be stored in `text`. */
#define DIFF_REASON_MAX 256
const char *diff_objection(const struct run *a, const struct run *b, char text[DIFF_REASON_MAX]);

/* Compares two runs. Returns false if a trace cannot be read from its file; errno is not set. */
bool diff_runs(struct diff *diff, const struct run *a, const struct run *b);
void diff_free(struct diff *diff);

/* Finds the bench of an item in the first run. Returns false if the item has none. */
bool diff_bench_of(const struct run *a, const struct diff_item *item, struct diff_bench *bench);

/* Adds an item with its place and bench. Returns a pointer that is valid until the next addition.
 */
struct diff_item *diff_add(struct diff *diff, enum diff_place place, const struct run_bench *bench);

/* Counts one more differing record or sample `number` of the item. If `known`, b - a is `shift`. */
void diff_note_shift(struct diff_item *item, uint64_t number, bool known, int64_t shift);

/* Compares the traces of a bench that both runs have, part by part and processor by processor. */
bool diff_traces(struct diff *diff, const struct run_bench *a, const struct run_bench *b);

/* Print the differences for people, and as JSON:
 *
 * {"schema": "tare diff", "version": 1, "a": file, "b": file, "equal", "ticks_per_instruction",
 *     "first": null or index of "differences",
 *     "running": null or {"bench", "pass", "number", "began", "ended"},
 *     "benches": {"differ", "total"}, "series", "samples", "records": the same,
 *     "stamps": null or {"low", "high"},
 *     "differences": [{"place": "setup|bench|record|sample", "bench", "pass", "what", "first",
 *         "count", "total", "a", "b", "tsc", "shift", "low", "high", "constant"}]} */
struct diff_names {
    const char *a, *b; /* file names */
};
void diff_print(FILE *out, const struct diff *diff, const struct run *a,
                const struct diff_names *names, bool all);
void diff_json(FILE *out, const struct diff *diff, const struct run *a,
               const struct diff_names *names);
