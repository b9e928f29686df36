/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that the benches of the event counters publish and the host looks up. Image and host
 * include this file, so that each name is written only once.
 */
#pragma once

/* Name of the bench that runs the known kernels. */
#define BENCH_COUNTERS "counters"

/* Facts: KERNEL.EVENT.expected; the iterations of all kernels; and KERNEL.iterations for a kernel
 * that has another number. */
#define FACT_KERNEL_EXPECTED "expected"
#define FACT_ITERATIONS      "iterations"
