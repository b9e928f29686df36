/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that the benches of threads publish and the host looks up. Image and host both include this
 * file, so that each name is written once.
 */
#pragma once

/* the benches */
#define BENCH_ALIASING  "aliasing"
#define BENCH_INVERSION "inversion"
#define BENCH_ORDER     "order"
#define BENCH_OVERLOAD  "overload"
#define BENCH_SWITCHES  "switches"

/* aliasing: its two threads, each of which has a series of the same name */
#define SERIES_HIDDEN    "hidden"
#define SERIES_SEEN      "seen"
#define FACT_TICK_PERIOD "tick_period"
#define FACT_WORK_TICKS  "work_ticks"

/* inversion: its variants; facts are VARIANT_WHAT. The name of the thread that waits is "VARIANT
 * high". */
#define VARIANT_PLAIN   "plain"
#define VARIANT_INHERIT "inherit"
#define VARIANT_CHAIN   "chain"
#define FACT_EXPECTED   "expected"
#define FACT_OBSERVED   "observed"
#define THREAD_HIGH     "high"

/* overload: the mark that is produced; a fact is named MARK_PRODUCED_MODE */
#define MARK_PRODUCED "produced"

/* switches: the mark at the end; facts are WHAT_WAY, threads "WAY NUMBER" */
#define MARK_END      "end"
#define FACT_SWITCHES "switches"
#define FACT_LATE     "late"
