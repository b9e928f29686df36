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
