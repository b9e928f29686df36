/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that benches of the event counters publish and the host looks up. Each stands here once:
 * image and host include it.
 */
#pragma once

/* The bench of known kernels. */
#define BENCH_COUNTERS "counters"

/* Facts: KERNEL.EVENT.expected, iterations of all kernels, and KERNEL.iterations where they differ.
 */
#define FACT_KERNEL_EXPECTED "expected"
#define FACT_ITERATIONS      "iterations"
