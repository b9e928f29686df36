/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbered experiments of a report about a laptop under an operating system, compared with the
 * results of a run on the empty machine.
 *
 * The report: K. Kalyanaraman, P. Ganapathy, "Systems Measurement" (CSE 221, 2014), parts I and II:
 * Intel Core i5-4258U (Haswell) at 2.4 GHz with DDR3-1600, OS X 10.10, one core active, code
 * compiled without optimisation.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

#define SEED3_HZ 2.4e9 /* of the report's processor: its own conversion of ns to cycles */

enum seed3_unit {
    SEED3_CYCLES, /* of the TSC, in a run in real time */
    SEED3_NS,
    SEED3_GB_PER_S, /* 10^9 bytes a second */
    SEED3_INSTRUCTIONS,
    SEED3_BYTES_PER_INSTRUCTION, /* of a bandwidth in exact time */
    SEED3_BYTES_PER_CYCLE,       /* of a bandwidth if the rate of the TSC is unknown */
    SEED3_UNITS,
};

/* How to compute a result from the bench's series (tools/run/curves.h). */
enum seed3_method {
    SEED3_PAIR,      /* each sample is one */
    SEED3_EVENT,     /* each sample less the median of `empty` */
    SEED3_HALF,      /* the same of a round trip, halved */
    SEED3_COST,      /* of a repetition */
    SEED3_COST_LESS, /* of a repetition, less the median cost of `loop` */
    SEED3_POINT,     /* a curve at one x */
    SEED3_LAST,      /* a curve at its max x */
    SEED3_BANDWIDTH, /* x by the cost of a curve, at its max x */
};

struct seed3_row {
    const char *number;   /* of the experiment in the report */
    const char *what;     /* at most 25 characters */
    double reported;      /* the value measured in the report; NaN: none */
    const char *foretold; /* its own estimate, in the same unit; NULL: none */
    enum seed3_unit unit; /* of both, and of ours in real time */
    const char *bench;
    const char *series;
    enum seed3_method method;
    int64_t x;          /* of SEED3_POINT */
    const char *remark; /* a difference between the two experiments; NULL: none */
};

/* The table: `index` from 0; NULL after its end. */
const struct seed3_row *seed3_row_at(size_t index);

struct seed3_result {
    const char *missing; /* why there is no result, in `text` or constant; NULL: there is one */
    char text[160];
    enum seed3_unit unit;
    size_t n;
    double median, min, max; /* nearest rank */
    bool has_estimate;       /* of ours, in the same unit */
    double estimate;
    const struct run_expect *expect; /* source of the estimate, in any unit; NULL: none */
};

/* The result of a run for a row. The estimate is set even if the result is missing, provided that
 * the bench stated it. */
void seed3_read(const struct run *run, const struct seed3_row *row, struct seed3_result *result);

/* In percent of the estimate; NaN: there is none, or it is 0. */
double seed3_difference(const struct seed3_result *result);

/* "cycle", "GB/s", ... */
const char *seed3_unit_name(enum seed3_unit unit);

/* Experiment 7's table: the report's ns of an access, by array and stride in bytes. */
#define SEED3_ARRAYS  12
#define SEED3_STRIDES 8
extern const int64_t seed3_arrays[SEED3_ARRAYS];
extern const int64_t seed3_strides[SEED3_STRIDES];
extern const double seed3_table_ns[SEED3_ARRAYS][SEED3_STRIDES];

/* This run's cell of it: an access in instructions, ns or cycles; false: there is none. */
bool seed3_cell(const struct run *run, size_t array, size_t stride, double *value);

/* The run's kind of time: "exact time", "real time", ... */
const char *seed3_time(const struct run *run);
