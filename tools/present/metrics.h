/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics: the figures of a run that have a name which stays the same from run to run, with all
 * values of each. What compare, limits, OpenMetrics and the exports of values are made from.
 *
 * A metric's name is BENCH.SERIES: "paths.switch", "syscall.null", "clock.tsc.cost"; of a curve or
 * a matrix BENCH.SERIES[X]: "chase.random.4k.wb[32KiB]", "lines.cas[0-1]"; of input events
 * BENCH.service.KIND and BENCH.response.KIND: "echo.service.key_down", and of actions
 * BENCH.MEASURE.CLASS: "click.idle.click"; where a bench has phases with the phase behind it:
 * "burst.service.key_down[fast]"; and "burst.elapsed[fast]", "burst.busy[fast]" of a phase from its
 * first input to its last effect. Of noise "idle.stolen[floor]",
 * "gap.stolen", "gap.longest" and "gap.smi" (bench/noise/host/stolen.h). A later pass of a bench
 * adds values to no metric: "idle:2.floor" is its own.
 *
 * Not metrics: what only places other samples (stamps, codes, bounds, points of curves, numbers of
 * repetitions), loop and `empty` of costs in the groups system and memory, whose median is taken
 * off the others, work that a bench was asked to do, counts of events, skews, and series that did
 * not arrive whole.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

enum metric_better {
    METRIC_LESS,    /* times, gaps, instructions */
    METRIC_MORE,    /* bytes a second */
    METRIC_NEITHER, /* a change is neither good nor bad */
};

#define UNIT_PPM        "ppm" /* of the time */
#define METRIC_NAME_MAX 192
#define METRIC_X_MAX    48 /* the X of a name */

struct metric {
    char *name;
    const char *bench; /* texts of the run */
    const char *series;
    uint32_t pass;
    const char *unit; /* "tick": ticks of the run's TSC; "hz"; of bandwidth "MB/s" (10^6 bytes),
                       * "B/instruction" where time is exact, "B/tick" where neither is known */
    enum metric_better better;
    double x;           /* of a curve, where the point is; NAN: it is no point of a curve */
    const char *x_unit; /* "byte", "page", "processor", ... where x is */
    size_t n;
    const struct run_series *samples; /* of which `values` are copies, unchanged except for a unit;
                                       * NULL: of none */
    double *values;                   /* in the order in which they were taken, warm only */
    size_t cold_count;                /* of `cold`: the first, into cold caches */
    double *cold;
    /* Where the image calibrated how much work a value is of: iterations of the idle loop. Values
     * of two runs are comparable only for the same work. 0: a value stands for itself. */
    double work;
    /* Of sparse events (gaps above a threshold), how long it was looked for them, in ticks; 0:
     * values are no such events. There may be none of them, and that is a result. */
    double observed;
    /* Of sparse events: the greatest there was, values or not, lies between these, by the values,
     * the threshold and the histogram of all. NAN: not known. */
    double greatest_low, greatest_high;
    double greatest_at; /* when it began, in ticks of the bench's watch; NAN: not known */
    uint64_t unkept;    /* sparse events that were not kept: values lack them */
    bool counted_only;  /* of sparse events their number is known, `unkept`, and no value */
    /* A share of time in UNIT_PPM, `share` of the whole; values are those of equal parts. Two
     * shares are compared by their difference. */
    bool is_share;
    double share;
};

struct metrics {
    const struct run *run;        /* it must outlive these */
    double ns_per_tick;           /* 0: not known or not believed */
    double ticks_per_instruction; /* of exact time; 0: the TSC counts time */
    struct metric *item;          /* in the order of the run */
    size_t count, capacity;
};

/* What a reading (reading.h) knows of the metrics of its bench; each may be NULL. */
struct reading_metrics {
    /* The one that stands for the bench where there is room for one: its name without bench and
     * point, or several that are tried in turn, as "a,b". NULL: see metrics_main(). */
    const char *main;
    /* Does this series only place or calibrate others? */
    bool (*places)(const char *series);
    /* Makes a series into metrics by metrics_add(); false: it is an ordinary one. */
    bool (*series)(struct metrics *metrics, const struct run_bench *bench,
                   const struct run_series *series);
    /* Changes what an ordinary metric is: its unit, what is better, its work. */
    void (*adjust)(const struct metrics *metrics, const struct run_bench *bench,
                   struct metric *metric);
    /* Adds metrics that are no series. */
    void (*others)(struct metrics *metrics, const struct run_bench *bench);
};

/* Another metric, "BENCH.SERIES[X]", with the pass where it is not the first; `x` NULL: none. In
 * ticks and without values. It stays where it is until the next one is added. */
struct metric *metrics_add(struct metrics *metrics, const struct run_bench *bench,
                           const char *series, const char *x);
/* An adjustment for benches whose samples have waits: ns in place of ticks where the TSC counts
 * instructions, since a wait is none of them. */
void metric_of_waits(const struct metrics *metrics, const struct run_bench *bench,
                     struct metric *metric);
/* Copies the samples. */
void metric_set(struct metric *metric, const int64_t *samples, size_t n);

/* Reads the traces of benches with input events as well. */
void metrics_of(const struct run *run, struct metrics *metrics);

/* The same in bounded time and memory: a metric of more than `values` samples has no values, and
 * its `samples` if they are its values; once benches with `samples` in all their
 * series have been read, further ones have no metrics but those of their series, and neither has
 * one with more than `records` in its traces. */
struct metrics_bounds {
    size_t values;
    uint64_t samples;
    uint64_t records;
};
void metrics_within(const struct run *run, const struct metrics_bounds *bounds,
                    struct metrics *metrics);
void metrics_free(struct metrics *metrics);
/* The metric that stands for the bench: that which a reading names, else that of the bench's own
 * name, else its first; of a curve the last point. NULL: it has none. */
const struct metric *metrics_main(const struct metrics *metrics, const struct run_bench *bench);
/* By its name; else "FAMILY.BENCH" ("noise.gap"): of that bench the metric of that name, else
 * its first, whatever a reading names, since limits of users rest on it. NULL: none. */
const struct metric *metrics_find(const struct metrics *metrics, const char *name);
