/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that the benches of threads on several processors publish and the host looks up. Image and
 * host both include this file, so that each name is written once.
 */
#pragma once

/* the group and its benches */
#define GROUP_SMP        "smp"
#define BENCH_ACCOUNTING "accounting"
#define BENCH_AFFINITY   "affinity"
#define BENCH_BESIDE     "beside"
#define BENCH_BOOST      "boost"
#define BENCH_INVERSION2 "inversion2"
#define BENCH_MIGRATION  "migration"
#define BENCH_QUANTUM    "quantum"
#define BENCH_RUNQUEUE   "runqueue"
#define BENCH_SCALING    "scaling"
#define BENCH_SHOOTDOWN  "shootdown"

#define PARAM_CPUS "cpus" /* number of processors that run threads */

/* all: how many processors ran threads */
#define FACT_CPUS "cpus"

/* shootdown: ticks to hide the pages */
#define SERIES_SHOOTDOWN "shootdown"

/* affinity and migration: from changing a mask until the thread runs elsewhere */
#define SERIES_MOVE "move"

/* quantum: ticks of a quantum; one sample a hog: its time on the processor, and its processor;
 * then, for hog N, "run.N" and "ready.N" */
#define FACT_QUANTUM "quantum"
#define SERIES_RAN   "ran"
#define SERIES_CPU   "cpu"
#define PREFIX_RUN   "run."
#define PREFIX_READY "ready."
