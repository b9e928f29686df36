/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that benches of latency publish and the host looks up. Each stands here once: image and
 * host include it.
 */
#pragma once

#define GROUP_LATENCY "latency"

/* The benches. */
#define BENCH_CLIWINDOW "cliwindow"
#define BENCH_TIMERLAT  "timerlat"

/* cliwindow: a sample of each series is a point. All in ticks from its start: when interrupts came
 * on again, when the timer was due, and how long after that its interrupt was there. */
#define SERIES_CLI_WINDOW   "window"
#define SERIES_CLI_DEADLINE "deadline"
#define SERIES_CLI_LATENCY  "latency"
/* Points of the grid of windows and deadlines, windows outside; the series hold it once a trial. */
#define FACT_CLI_GRID     "grid"
#define CLI_PARAM_WINDOWS "windows"

/* timerlat: of each processor N that measures NAME.N. A period's way has three spans and their
 * whole: from the deadline to the timer's handler, on to the deferred call, on to the thread. Of
 * each span NAME: the first samples as series NAME; of all samples a histogram, NAME_bound and
 * NAME_count, and the facts NAME_sum, NAME_min, NAME_max, NAME_max_at. */
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
/* The longest by the whole way of those behind the first, in the order of time: when the deadline
 * was, and each span as WORST_ NAME. */
#define PREFIX_WORST    "worst_"
#define SERIES_WORST_AT "worst_at"
/* Periods whose way was measured, and those that came while the one before was on its way; ticks of
 * a period; processors that load, and how much work they did. */
#define FACT_PERIODS     "periods"
#define FACT_OVERRUNS    "overruns"
#define FACT_PERIOD      "period"
#define FACT_LOADERS     "loaders"
#define FACT_LOAD_ROUNDS "load_rounds"

/* cstate and ramp: states are NAME_STATE_HLT, NAME_STATE_PAUSE, and PREFIX_STATE_MWAIT with the
 * hint in two hexadecimal digits. */
#define BENCH_CSTATE       "cstate"
#define BENCH_RAMP         "ramp"
#define NAME_STATE_HLT     "hlt"
#define NAME_STATE_PAUSE   "pause"
#define PREFIX_STATE_MWAIT "mwait"

/* cstate: of state S on processor N the curve (tools/run/curves.h) ALONE.S.N, by the time that the
 * timer was set to, in us; TOGETHER.S.N where all do the same at once. In ticks from the deadline
 * to the stamp. Fact EARLY.ALONE.S.N and so on: how often the state ended with no interrupt. */
#define PREFIX_ALONE      "alone."
#define PREFIX_TOGETHER   "together."
#define PREFIX_EARLY      "early."
#define FACT_CSTATE_ARM   "arm_ticks"
#define FACT_CSTATE_COUNT "timer_resolution"
#define CSTATE_TIMER      "timer" /* what was found: which one was set */

/* ramp: after idling in state S, FACT_RAMP_PIECES pieces of work of FACT_INNER_ITERATIONS of the
 * known loop each, as series PREFIX S: sample k of trial i at [i * pieces + k]. Ticks of the piece;
 * TSC of its end from the wake-up; what APERF and MPERF counted from the wake-up to its end. Of
 * each trial, how long it idled. */
#define PREFIX_RAMP_WORK  "work."
#define PREFIX_RAMP_AT    "at."
#define PREFIX_RAMP_APERF "aperf."
#define PREFIX_RAMP_MPERF "mperf."
#define PREFIX_RAMP_IDLE  "idle."
#define FACT_RAMP_PIECES  "pieces"
/* An interrupt may come early by a hundredth: two clocks. */
#define RAMP_EARLY_PARTS 100
