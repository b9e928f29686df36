/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics: the figures of a run whose names stay the same from run to run, with all values of each.
 * Compare, limits, OpenMetrics and the exports of values are made from them.
 *
 * A metric's name is BENCH.SERIES: "paths.switch", "syscall.null", "clock.tsc.cost". For a curve or
 * a matrix it is BENCH.SERIES[X]: "chase.random.4k.wb[32KiB]", "lines.cas[0-1]". For input events
 * it is BENCH.service.KIND and BENCH.response.KIND: "echo.service.key_down", and for actions
 * BENCH.MEASURE.CLASS: "click.idle.click". If a bench has phases, the phase follows in brackets:
 * "burst.service.key_down[fast]"; "burst.elapsed[fast]" and "burst.busy[fast]" cover a phase from
 * its first input to its last effect. Noise has "idle.stolen[floor]", "gap.stolen", "gap.longest"
 * and "gap.smi" (bench/noise/host/stolen.h). The metrics of a later pass of a bench have
 * separate names: "idle:2.floor".
 *
 * Not metrics: series that only place other samples (stamps, codes, bounds, points of curves,
 * numbers of repetitions), loop and `empty` of costs in the groups system and memory, whose median
 * is subtracted from the others, work that a bench was asked to do, counts of events, skews, and
 * series that did not arrive complete.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

enum metric_better {
    METRIC_LESS,    /* less is better: times, gaps, instructions */
    METRIC_MORE,    /* more is better: bytes per second */
    METRIC_NEITHER, /* a change is neither good nor bad */
};

#define UNIT_PPM        "ppm" /* share of the time */
#define METRIC_NAME_MAX 192
#define METRIC_X_MAX    48 /* room for the X of a name */

struct metric {
    char *name;
    const char *bench; /* texts of the run */
    const char *series;
    uint32_t pass;
    /* "tick": ticks of the run's TSC; "hz"; for bandwidth "MB/s" (10^6 bytes), "B/instruction" in
     * exact time, "B/tick" if the time of a tick is unknown */
    const char *unit;
    enum metric_better better;
    double x;           /* for a curve, the x value of the point; NAN: not a point of a curve */
    const char *x_unit; /* unit of x: "byte", "page", "processor", ... */
    size_t n;
    /* Series of which `values` are copies, unchanged except for a unit; NULL: none. */
    const struct run_series *samples;
    double *values; /* in the order in which they were taken, warm only */
    /* Part of each value that the timing model of a modelled device determines; NULL: none, or it
     * is unknown. */
    double *law;
    bool modelled; /* values contain the law of a modelled device */
    /* number of values in `cold`: the first ones, into cold caches */
    size_t cold_count;
    double *cold;
    /* Amount of work in a value, if the image calibrated it: iterations of the idle loop. Values of
     * two runs can be compared only for the same work. 0: not calibrated. */
    double work;
    /* For sparse events (gaps above a threshold): how long the run looked for them, in ticks; 0:
     * not sparse events. Finding none of them is a result too. */
    double observed;
    /* For sparse events: the greatest of all lies between these, by the values, the threshold and
     * the histogram of all events. NAN: unknown. */
    double greatest_low, greatest_high;
    double greatest_at; /* when the greatest began, in ticks of the bench's watch; NAN: unknown */
    uint64_t unkept;    /* sparse events that were not kept, so that `values` lacks them */
    bool counted_only;  /* only the number of sparse events is known, in `unkept`, and no value */
    /* A share of time in UNIT_PPM: `share` is that of the whole time, the values are those of equal
     * parts. Two shares are compared by their difference. */
    bool is_share;
    double share;
};

struct metrics {
    const struct run *run;        /* must outlive the metrics */
    double ns_per_tick;           /* 0: the rate of the TSC is unknown or not verified */
    double ticks_per_instruction; /* in exact time; 0: the TSC counts time */
    struct metric *item;          /* in the order of the run */
    size_t count, capacity;
};

/* What a report plug-in (report_plugin.h) knows about the metrics of its bench. Each member may be
 * NULL.
 */
struct plugin_metrics {
    /* Metric that represents the bench in a list: its name without bench and point, or several
     * names to try in turn, as "a,b". NULL: see metrics_main(). */
    const char *main;
    /* Returns whether this series only places or calibrates others. */
    bool (*places)(const char *series);
    /* Makes a series into metrics by metrics_add(). Returns false if it is an ordinary series. */
    bool (*series)(struct metrics *metrics, const struct run_bench *bench,
                   const struct run_series *series);
    /* Changes an ordinary metric: its unit, what is better, its work. */
    void (*adjust)(const struct metrics *metrics, const struct run_bench *bench,
                   struct metric *metric);
    /* Adds metrics that are not series. */
    void (*others)(struct metrics *metrics, const struct run_bench *bench);
};

/* Adds a metric "BENCH.SERIES[X]", with the pass if it is not the first; `x` NULL: without [X]. It
 * is in ticks and has no values. The pointer is valid until the next metric is added. */
struct metric *metrics_add(struct metrics *metrics, const struct run_bench *bench,
                           const char *series, const char *x);
/* An `adjust` for benches whose samples contain waits: in exact time converts ticks to ns, because
 * a wait is not a number of instructions. */
void metric_of_waits(const struct metrics *metrics, const struct run_bench *bench,
                     struct metric *metric);
/* As metric_of_waits(); also marks a metric of a modelled device. Loop-back uses no device. */
void metric_of_device(const struct metrics *metrics, const struct run_bench *bench,
                      struct metric *metric);
/* As metric_of_device(); for a metric of series NAME.X also sets the law of its values, in their
 * unit: the sum of the series LAW.X for each of the `count` names in `laws`. */
void metric_of_law(const struct metrics *metrics, const struct run_bench *bench,
                   struct metric *metric, const char *name, const char *const *laws, size_t count);
/* Copies the samples into the metric's values. */
void metric_set(struct metric *metric, const int64_t *samples, size_t n);

/* Makes all metrics of a run. Also reads the traces of benches with input events. */
void metrics_of(const struct run *run, struct metrics *metrics);

/* As metrics_of(), in bounded time and memory. A metric of more than `values` samples has no
 * values, but still `samples` if these are its values. Once the benches read so far have more than
 * `samples` samples in their series, further benches have only the metrics of their series; so has
 * a bench with more than `records` trace records. A bench with a trace then has a metric
 * METRIC_LEFT_OUT without values. */
#define METRIC_LEFT_OUT "left_out"
struct metrics_bounds {
    size_t values;
    uint64_t samples;
    uint64_t records;
};
void metrics_within(const struct run *run, const struct metrics_bounds *bounds,
                    struct metrics *metrics);
void metrics_free(struct metrics *metrics);
/* Returns the metric that represents the bench: the one that a plug-in names, otherwise the one
 * with the bench's own name, otherwise its first; for a curve its last point. Returns NULL if the
 * bench has none. */
const struct metric *metrics_main(const struct metrics *metrics, const struct run_bench *bench);
/* Returns the metric of that name. For "FAMILY.BENCH" ("noise.gap") returns that bench's metric
 * with the bench's own name, otherwise its first, whatever a plug-in names, because limits of users
 * depend on it. Returns NULL if there is none. */
const struct metric *metrics_find(const struct metrics *metrics, const char *name);
