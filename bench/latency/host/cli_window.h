/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench `cliwindow` of a run: latencies of a timer's interrupt, of which some had to wait for the
 * end of a window in which interrupts were masked. The line that they are expected on is the
 * remainder of the window behind the deadline, or 0. Nothing of it is fitted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/stats/statistics.h"

/* Of the run: it must outlive these. */
struct cli_points {
    size_t n;
    size_t grid;    /* points of a trial; the series hold whole trials, one behind the other */
    size_t windows; /* of the grid: the outer order */
    const int64_t *window, *deadline, *latency;
};

/* False where a series is missing or torn, or they are of different lengths. */
bool cli_points_of(const struct run_bench *bench, struct cli_points *points);

/* Ticks of the window behind the deadline; not positive: the deadline lies behind the window. */
int64_t cli_remainder(const struct cli_points *points, size_t index);
/* How far the latency is above the line. */
int64_t cli_deviation(const struct cli_points *points, size_t index);

struct cli_summary {
    struct statistics pending; /* deviations of points whose deadline is in the window */
    struct statistics running; /* of the others */
    /* Of the pending ones, by least squares: latency = offset + slope * remainder. NAN: fewer than
     * two remainders. */
    double slope, offset;
};
void cli_summary(const struct cli_points *points, struct cli_summary *summary);

/* The same deviations, of all points or of those of one window of the grid. Returns their number;
 * `values` has room for all. */
#define CLI_EACH_WINDOW SIZE_MAX
size_t cli_deviations(const struct cli_points *points, bool pending, size_t window,
                      int64_t *values);
