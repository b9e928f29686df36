/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbered experiments of a report about a laptop under an operating system, compared with the
 * results of a run on the empty machine.
 *
 * The report: K. Kalyanaraman, P. Ganapathy, "Systems Measurement" (CSE 221, 2014): Intel Core
 * i5-4258U (Haswell) at 2.4 GHz with DDR3-1600, OS X 10.10, one core active, code compiled without
 * optimisation.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

#define ESTIMATES_HZ 2.4e9 /* of the report's processor: its own conversion of ns to cycles */

enum estimates_unit {
    ESTIMATES_CYCLES, /* of the TSC, in a run in real time */
    ESTIMATES_NS,
    ESTIMATES_GB_PER_S, /* 10^9 bytes a second */
    ESTIMATES_INSTRUCTIONS,
    ESTIMATES_BYTES_PER_INSTRUCTION, /* of a bandwidth in exact time */
    ESTIMATES_BYTES_PER_CYCLE,       /* of a bandwidth if the rate of the TSC is unknown */
    ESTIMATES_UNITS,
};

/* How to compute a result from the bench's series (tools/run/curves.h). */
enum estimates_method {
    ESTIMATES_PAIR,         /* each sample is one */
    ESTIMATES_WAITED,       /* the same, with waits for a disk: time, in exact time too */
    ESTIMATES_EVENT,        /* each sample less the median of `empty` */
    ESTIMATES_WAITED_EVENT, /* the same, with waits for a disk */
    ESTIMATES_HALF,         /* the same of a round trip, halved */
    ESTIMATES_COST,         /* of a repetition */
    ESTIMATES_COST_LESS,    /* of a repetition, less the median cost of `loop` */
    ESTIMATES_POINT,        /* a curve at one x */
    ESTIMATES_WAITED_POINT, /* the same, with waits for a disk */
    ESTIMATES_LAST,         /* a curve at its max x */
    ESTIMATES_BANDWIDTH,    /* x by the cost of a curve, at its max x */
    ESTIMATES_BLOCK,        /* 64 KiB by each sample */
    ESTIMATES_WAITED_BLOCK, /* the same, with waits for a network: by time, in exact time too */
};

struct estimates_row {
    const char *number;            /* of the experiment in the report */
    const char *what;              /* at most 25 characters */
    double reported;               /* the value measured in the report; NaN: none */
    const char *reported_estimate; /* its own estimate, in the same unit; NULL: none */
    enum estimates_unit unit;      /* of both, and of ours in real time */
    const char *bench;
    const char *series;
    enum estimates_method method;
    int64_t x;          /* of ESTIMATES_POINT and ESTIMATES_WAITED_POINT */
    const char *remark; /* a difference between the two experiments; NULL: none */
};

/* Does it wait for a disk or a network? Its result is then a time, virtual where time is exact. */
bool estimates_row_waits(const struct estimates_row *row);

/* The table: `index` from 0; NULL after its end. */
const struct estimates_row *estimates_row_at(size_t index);

struct estimates_result {
    const char *missing; /* why there is no result, in `text` or constant; NULL: there is one */
    char text[160];
    enum estimates_unit unit;
    size_t n;
    double median, min, max; /* nearest rank */
    bool has_estimate;       /* of ours, in the same unit */
    double estimate;
    const struct run_expect *expect; /* source of the estimate, in any unit; NULL: none */
};

/* The result of a run for a row. The estimate is set even if the result is missing, provided that
 * the bench stated it. */
void estimates_read(const struct run *run, const struct estimates_row *row,
                    struct estimates_result *result);

/* In percent of the estimate; NaN: there is none, or it is 0. */
double estimates_difference(const struct estimates_result *result);

/* "cycle", "GB/s", ... */
const char *estimates_unit_name(enum estimates_unit unit);

/* Experiment 7's table: the report's ns of an access, by array and stride in bytes. */
#define ESTIMATES_ARRAYS  12
#define ESTIMATES_STRIDES 8
extern const int64_t estimates_arrays[ESTIMATES_ARRAYS];
extern const int64_t estimates_strides[ESTIMATES_STRIDES];
extern const double estimates_table_ns[ESTIMATES_ARRAYS][ESTIMATES_STRIDES];

/* This run's cell of it: an access in instructions, ns or cycles; false: there is none. */
bool estimates_cell(const struct run *run, size_t array, size_t stride, double *value);

/* Experiment 14's table: the report's whole time of reading a file, in order and at random. */
#define ESTIMATES_FILES 8
struct estimates_file {
    int64_t bytes;
    double sequential_ns;
    double random_ns;
};
extern const struct estimates_file estimates_files[ESTIMATES_FILES];

/* Experiment 16's table: the report's time per block with 1 to 32 threads. */
#define ESTIMATES_THREADS 32
extern const double estimates_contention_ns[ESTIMATES_THREADS];
