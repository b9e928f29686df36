/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparison of a run with the numbered experiments of a published report about a laptop under an
 * operating system. The run is made without an operating system.
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

#define ESTIMATES_HZ 2.4e9 /* of the report's processor; converts its ns to cycles */

enum estimates_unit {
    ESTIMATES_CYCLES, /* cycles of the TSC, in a run in real time */
    ESTIMATES_NS,
    ESTIMATES_GB_PER_S, /* 10^9 bytes a second */
    ESTIMATES_INSTRUCTIONS,
    ESTIMATES_BYTES_PER_INSTRUCTION, /* for a bandwidth in exact time */
    ESTIMATES_BYTES_PER_CYCLE,       /* for a bandwidth if the rate of the TSC is unknown */
    ESTIMATES_UNITS,
};

/* How a result is computed from the bench's series (tools/run/curves.h). */
enum estimates_method {
    ESTIMATES_PAIR, /* each sample is one result */
    /* like PAIR, but includes waits for a disk, so that the result is a time in exact time too */
    ESTIMATES_WAITED,
    ESTIMATES_EVENT,        /* each sample minus the median of `empty` */
    ESTIMATES_WAITED_EVENT, /* like EVENT, but includes waits for a disk */
    ESTIMATES_HALF,         /* like EVENT, for a round trip, halved */
    ESTIMATES_COST,         /* cost of a repetition */
    ESTIMATES_COST_LESS,    /* cost of a repetition minus the median cost of `loop` */
    ESTIMATES_POINT,        /* a curve at one x */
    ESTIMATES_WAITED_POINT, /* like POINT, but includes waits for a disk */
    ESTIMATES_LAST,         /* a curve at its largest x */
    ESTIMATES_BANDWIDTH,    /* x divided by the cost of a curve, at its largest x */
    ESTIMATES_BLOCK,        /* 64 KiB divided by each sample */
    /* like BLOCK, but includes waits for a network: per time, in exact time too */
    ESTIMATES_WAITED_BLOCK,
};

struct estimates_row {
    const char *number;            /* number of the experiment in the report */
    const char *what;              /* what is measured, in at most 25 characters */
    double reported;               /* value measured in the report; NaN: none */
    const char *reported_estimate; /* the report's own estimate, in the same unit; NULL: none */
    /* unit of the report's values, and of the run's results in real time */
    enum estimates_unit unit;
    const char *bench;
    const char *series;
    enum estimates_method method;
    int64_t x;          /* place on the curve, for ESTIMATES_POINT and ESTIMATES_WAITED_POINT */
    const char *remark; /* difference between the two experiments; NULL: none */
};

/* Does the row include waits for a disk or a network? Its result is then a time, which is virtual
 * in exact time. */
bool estimates_row_waits(const struct estimates_row *row);

/* Returns a row of the table, `index` from 0, or NULL after the last. */
const struct estimates_row *estimates_row_at(size_t index);

struct estimates_result {
    /* why there is no result: points to `text` or to a constant; NULL: there is a result */
    const char *missing;
    char text[160];
    enum estimates_unit unit;
    size_t n;
    double median, min, max; /* nearest rank */
    /* If others execute instructions too (exact, shared): the share of samples that are the most
     * frequent number, which is then `median`; NaN in other time bases. */
    double share;
    bool has_estimate; /* the bench stated an estimate that converts to this unit */
    double estimate;
    /* where the estimate comes from, in any unit; NULL: no estimate */
    const struct run_expect *expect;
};

/* Computes the result of a run for a row. The estimate is set even if the result is missing,
 * provided that the bench stated it. */
void estimates_read(const struct run *run, const struct estimates_row *row,
                    struct estimates_result *result);

/* Does the result have several values, of which none is that of ESTIMATES_SHARE of the samples? */
bool estimates_several(const struct estimates_result *result);
#define ESTIMATES_SHARE 0.9

#define ESTIMATES_PERCENT 25 /* an estimate that misses by more is explained */

/* Returns the difference in percent of the estimate, or NaN if there is no estimate or it is 0. */
double estimates_difference(const struct estimates_result *result);

/* Returns the name of a unit: "cycle", "GB/s", ... */
const char *estimates_unit_name(enum estimates_unit unit);

/* Table of experiment 7: the report's ns of an access, by size of the array and stride in bytes. */
#define ESTIMATES_ARRAYS  12
#define ESTIMATES_STRIDES 8
extern const int64_t estimates_arrays[ESTIMATES_ARRAYS];
extern const int64_t estimates_strides[ESTIMATES_STRIDES];
extern const double estimates_table_ns[ESTIMATES_ARRAYS][ESTIMATES_STRIDES];

/* Finds this run's value for a cell of that table: the cost of an access in instructions, ns or
 * cycles. Returns false if there is none. */
bool estimates_cell(const struct run *run, size_t array, size_t stride, double *value);

/* Table of experiment 14: the report's total time of reading a file, sequentially and at random. */
#define ESTIMATES_FILES 8
struct estimates_file {
    int64_t bytes;
    double sequential_ns;
    double random_ns;
};
extern const struct estimates_file estimates_files[ESTIMATES_FILES];
