/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that benches idle and load publish and the host looks up. Each stands here once: image
 * and host include it.
 */
#pragma once

/* The benches. */
#define BENCH_IDLE "idle"
#define BENCH_LOAD "load"

/* Series of idle: samples of the idle loop, without and with ticks of the clock. */
#define SERIES_FLOOR         "floor"
#define SERIES_TICKING       "ticking"
#define SERIES_HANDLER       "handler"
#define SERIES_HANDLER_START "handler_start"

/* Series of load. */
#define SERIES_LOAD_SAMPLES "samples"
#define SERIES_LOAD_ENTRY   "entry"
#define SERIES_LOAD_WORK    "work"

/* Of both: how the interrupts of a sample, which are a group, are recovered (recover.h). The error
 * of each group, and how many interrupts it holds. */
#define SERIES_ERROR "error"
#define SERIES_GROUP "group"

/* What is stated beforehand: ticks of entry and exit of an interrupt; tolerances in ticks of a
 * sample, of each interrupt in it, and of work against what was asked for, with a share of it. */
#define FACT_OUTSIDE             "outside"
#define FACT_TOLERANCE_SAMPLE    "tolerance.sample"
#define FACT_TOLERANCE_EACH      "tolerance.each"
#define FACT_TOLERANCE_ASKED     "tolerance.asked"
#define FACT_TOLERANCE_ASKED_PPM "tolerance.asked_ppm"

/* What was found. */
#define FACT_FLOOR          "floor_ticks"
#define FACT_WITHIN         "groups_within"
#define FACT_INJECTED       "injected"
#define FACT_RECOVERED      "recovered"
#define FACT_LARGEST_ERROR  "largest_error"
#define FACT_SPURIOUS       "spurious"
#define FACT_SPURIOUS_TICKS "spurious_ticks"
#define FACT_ASKED_LONG     "asked_long"
