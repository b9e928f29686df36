/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that the latency benches publish and the host looks up. Image and host include this file,
 * so that each name is written only once.
 */
#pragma once

#define GROUP_LATENCY "latency"

/* Names of benches; those of cstate and ramp are below. */
#define BENCH_CLIWINDOW "cliwindow"
#define BENCH_TIMERLAT  "timerlat"

/* cliwindow: a sample of each series is a point of the grid. In ticks from the start of the point:
 * when interrupts were enabled again, and when the timer was due; then the ticks from there to the
 * interrupt. */
#define SERIES_CLI_WINDOW   "window"
#define SERIES_CLI_DEADLINE "deadline"
#define SERIES_CLI_LATENCY  "latency"
/* Number of points in the grid of windows and deadlines, with windows as the outer order. The
 * series hold the grid once for each trial. */
#define FACT_CLI_GRID     "grid"
#define CLI_PARAM_WINDOWS "windows"

/* timerlat: series and facts of processor N are NAME.N. A period consists of three spans and their
 * sum: from the deadline to the timer's handler (HANDLER), on to the deferred call (DPC), on to the
 * thread (THREAD); WHOLE is all three. Each span has the first samples as series NAME, the
 * histogram of all samples as NAME_bound and NAME_count, and the facts NAME_sum, NAME_min, NAME_max
 * and NAME_max_at. */
#define SPAN_HANDLER  "handler"
#define SPAN_DPC      "dpc"
#define SPAN_THREAD   "thread"
#define SPAN_WHOLE    "whole"
#define SUFFIX_BOUND  "_bound"
#define SUFFIX_COUNT  "_count"
#define SUFFIX_SUM    "_sum"
#define SUFFIX_MIN    "_min"
#define SUFFIX_MAX    "_max"
#define SUFFIX_MAX_AT "_max_at"
/* The periods with the longest whole time after the first samples, in the order of time: series of
 * their deadlines, and of each span as "worst_NAME". */
#define PREFIX_WORST    "worst_"
#define SERIES_WORST_AT "worst_at"
/* Number of measured periods, and of periods that came due while the previous one was still being
 * served; ticks of a period; number of processors that create load, and how much work they did. */
#define FACT_PERIODS     "periods"
#define FACT_OVERRUNS    "overruns"
#define FACT_PERIOD      "period"
#define FACT_LOADERS     "loaders"
#define FACT_LOAD_ROUNDS "load_rounds"

/* cstate and ramp: states are named NAME_STATE_HLT, NAME_STATE_PAUSE, or PREFIX_STATE_MWAIT and the
 * hint in two hexadecimal digits. */
#define BENCH_CSTATE       "cstate"
#define BENCH_RAMP         "ramp"
#define NAME_STATE_HLT     "hlt"
#define NAME_STATE_PAUSE   "pause"
#define PREFIX_STATE_MWAIT "mwait"

/* cstate: the latency from state S on processor N is the curve (tools/run/curves.h) ALONE.S.N, or
 * TOGETHER.S.N if all processors do the same at once. x is the time that the timer was set to, in
 * us; y is in ticks from the deadline to the stamp. Fact EARLY.ALONE.S.N, or EARLY.TOGETHER.S.N,
 * counts how often the state ended without an interrupt. */
#define PREFIX_ALONE      "alone."
#define PREFIX_TOGETHER   "together."
#define PREFIX_EARLY      "early."
#define FACT_CSTATE_ARM   "arm_ticks"
#define FACT_CSTATE_COUNT "timer_resolution"
#define CSTATE_TIMER      "timer" /* name of the text that states how the timer was set */

/* ramp: after idling in state S come FACT_RAMP_PIECES pieces of work, each of FACT_INNER_ITERATIONS
 * iterations of the known loop. Sample k of trial i is at [i * pieces + k] of series PREFIX S:
 * ticks of the piece; ticks from the wake-up to its end; what APERF and MPERF counted from the
 * wake-up to its end. PREFIX_RAMP_IDLE has a sample for each trial: how long the processor idled.
 */
#define PREFIX_RAMP_WORK  "work."
#define PREFIX_RAMP_AT    "at."
#define PREFIX_RAMP_APERF "aperf."
#define PREFIX_RAMP_MPERF "mperf."
#define PREFIX_RAMP_IDLE  "idle."
#define FACT_RAMP_PIECES  "pieces"
/* An interrupt may come early by this part of its time, because the timer and the TSC are two
 * clocks. */
#define RAMP_EARLY_PARTS 100
