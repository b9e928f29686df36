/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of values that only the host derives from a whole run. Rules of findings ask for them with
 * `derived` and `derived_text` of struct finding_source. The image knows none of them.
 */
#pragma once

/* Number of reasons of run_valid() that no other name here covers, and the gravest as a text. */
#define DERIVED_INVALID     "invalid"
#define DERIVED_INVALID_WHY "invalid_why"
/* Number of frames that never arrived, and the first line of what is missing because of that. */
#define DERIVED_LOST     "lost"
#define DERIVED_LOST_WHY "lost_why"
/* The largest drift between two clocks during the run, in ppm; 0: not more than is permitted. And a
 * text that names the clocks. */
#define DERIVED_DRIFT_PPM "drift_ppm"
#define DERIVED_DRIFT_WHY "drift_why"
/* Number of usable event counters, number of those that failed their self-test, and the first of
 * the latter with its reason. */
#define DERIVED_COUNTERS     "counters"
#define DERIVED_COUNTERS_BAD "counters_bad"
#define DERIVED_COUNTER_WHY  "counter_why"
/* Whether the longest gap stopped all processors (2), only some (1), or this is unknown (0). */
#define DERIVED_GAP_CLASS "gap_class"
/* Under a hypervisor, in real time and in shared exact time: ns of the longest sample of any bench
 * but the detectors of gaps that is at least 1,000 times the median of its series, and
 * "BENCH/SERIES". */
#define DERIVED_STOPPED_NS     "stopped_ns"
#define DERIVED_STOPPED_SERIES "stopped_series"
/* What the plan asked for and the run did not do: the number of events that were not counted, and
 * which with the reason; the number of parameters of benches that did not run, and the first. */
#define DERIVED_UNCOUNTED     "uncounted"
#define DERIVED_UNCOUNTED_WHY "uncounted_why"
#define DERIVED_UNUSED        "unused"
#define DERIVED_UNUSED_WHY    "unused_why"
/* Under a hypervisor, by bench exits: number of operations that it traps, and a text. */
#define DERIVED_TRAPS     "traps"
#define DERIVED_TRAPS_WHY "traps_why"
/* For input events. An application that keeps the processor busy while it waits for the next input:
 * its bench, the number of events, and ns for each. The kind of event that cold caches slow down
 * most: its bench, its name, and ns with cold and with warm caches. */
#define DERIVED_BUSY_BENCH  "busy_bench"
#define DERIVED_BUSY_EVENTS "busy_events"
#define DERIVED_BUSY_NS     "busy_ns"
#define DERIVED_COLD_BENCH  "cold_bench"
#define DERIVED_COLD_KIND   "cold_kind"
#define DERIVED_COLD_NS     "cold_ns"
#define DERIVED_WARM_NS     "warm_ns"
