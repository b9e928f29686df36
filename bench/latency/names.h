/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that benches of latency publish and the host looks up. Each stands here once: image and
 * host include it.
 */
#pragma once

#define GROUP_LATENCY "latency"

/* The benches. */
#define BENCH_CLIWINDOW "cliwindow"

/* cliwindow: a sample of each series is a point. All in ticks from its start: when interrupts came
 * on again, when the timer was due, and how long after that its interrupt was there. */
#define SERIES_CLI_WINDOW   "window"
#define SERIES_CLI_DEADLINE "deadline"
#define SERIES_CLI_LATENCY  "latency"
/* Points of the grid of windows and deadlines, windows outside; the series hold it once a trial. */
#define FACT_CLI_GRID     "grid"
#define CLI_PARAM_WINDOWS "windows"
