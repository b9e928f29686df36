/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench `cliwindow` of a run: latencies of a timer's interrupt, some of which had to wait for the
 * end of a window in which interrupts were masked. The expected line is the remainder of the window
 * after the deadline, or 0. No part of it is fitted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/stats/statistics.h"

/* The points of the bench. The arrays belong to the run, which must outlive them. */
struct cli_points {
    size_t n;
    size_t grid;    /* points of a trial; the series hold one whole trial after the other */
    size_t windows; /* number of windows, the outer order of the grid */
    const int64_t *window, *deadline, *latency;
};

/* Returns false if a series is missing or incomplete, or if their lengths differ. */
bool cli_points_of(const struct run_bench *bench, struct cli_points *points);

/* Returns the ticks of the window after the deadline. A value of 0 or less means that the deadline
 * comes after the window. */
int64_t cli_remainder(const struct cli_points *points, size_t index);
/* Returns how far the latency is above the line. */
int64_t cli_deviation(const struct cli_points *points, size_t index);

struct cli_summary {
    struct statistics pending; /* deviations of points whose deadline is in the window */
    struct statistics running; /* deviations of all other points */
    /* Least-squares fit of the pending points: latency = offset + slope * remainder. NAN if there
     * are fewer than two different remainders. */
    double slope, offset;
};
void cli_summary(const struct cli_points *points, struct cli_summary *summary);

/* Returns the deviations of all points, or of those of one window of the grid, and their number.
 * `values` must have room for all points. */
#define CLI_EACH_WINDOW SIZE_MAX
size_t cli_deviations(const struct cli_points *points, bool pending, size_t window,
                      int64_t *values);
