/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of what only the host derives from a whole run, for rules: struct finding_source's
 * `derived` and `derived_text`. The image knows none of them.
 */
#pragma once

/* Reasons of run_valid() that no other name here covers: their number, and the gravest as a text.
 */
#define DERIVED_INVALID     "invalid"
#define DERIVED_INVALID_WHY "invalid_why"
/* Frames that never arrived, and the first line of what is missing for it. */
#define DERIVED_LOST     "lost"
#define DERIVED_LOST_WHY "lost_why"
/* By how much two clocks ran apart during the run at most, in ppm; 0: no more than is permitted.
 * And which, as a text. */
#define DERIVED_DRIFT_PPM "drift_ppm"
#define DERIVED_DRIFT_WHY "drift_why"
/* Event counters that are usable, those that failed their proof, and the first of these with its
 * reason. */
#define DERIVED_COUNTERS     "counters"
#define DERIVED_COUNTERS_BAD "counters_bad"
#define DERIVED_COUNTER_WHY  "counter_why"
/* Whether the longest gap stopped all processors (2), fewer (1), or that is unknown (0). */
#define DERIVED_GAP_CLASS "gap_class"
/* Of input events: an application that keeps the processor while it waits for the next input: the
 * bench, how many events, and ns of one; and the kind of event that grows most by cold caches: its
 * bench, its name, and ns cold and warm. */
#define DERIVED_BUSY_BENCH  "busy_bench"
#define DERIVED_BUSY_EVENTS "busy_events"
#define DERIVED_BUSY_NS     "busy_ns"
#define DERIVED_COLD_BENCH  "cold_bench"
#define DERIVED_COLD_KIND   "cold_kind"
#define DERIVED_COLD_NS     "cold_ns"
#define DERIVED_WARM_NS     "warm_ns"
