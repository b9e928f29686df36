/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that benches of threads publish and the host looks up. Each stands here once: image and
 * host include it.
 */
#pragma once

/* The benches. */
#define BENCH_ALIASING  "aliasing"
#define BENCH_INVERSION "inversion"
#define BENCH_ORDER     "order"
#define BENCH_OVERLOAD  "overload"
#define BENCH_SWITCHES  "switches"

/* Of aliasing: its two threads, each of which has a series of the same name. */
#define SERIES_HIDDEN    "hidden"
#define SERIES_SEEN      "seen"
#define FACT_TICK_PERIOD "tick_period"
#define FACT_WORK_TICKS  "work_ticks"

/* Of inversion: its variants, and what of each is a fact VARIANT_WHAT; THREAD_HIGH ends the name of
 * the thread that waits, "VARIANT high". */
#define VARIANT_PLAIN   "plain"
#define VARIANT_INHERIT "inherit"
#define VARIANT_CHAIN   "chain"
#define FACT_EXPECTED   "expected"
#define FACT_OBSERVED   "observed"
#define THREAD_HIGH     "high"

/* Of overload: the mark that is produced; with _MODE a fact. */
#define MARK_PRODUCED "produced"

/* Of switches: the mark at the end, facts WHAT_WAY, and threads "WAY NUMBER". */
#define MARK_END      "end"
#define FACT_SWITCHES "switches"
#define FACT_LATE     "late"
