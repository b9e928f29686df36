/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs benches on Linux: the image's own source files and kernels, in this program.
 *
 * host_bench.c is the second implementation of kernel/run/bench.h, as far as these benches need it;
 * published series go directly into a run. Nothing is counted or traced here, interrupts stay on,
 * and Linux may take the processor at any time. A bench that makes many trials shows that in their
 * spread.
 */
#pragma once

#include "kernel/run/bench.h"
#include "tools/run/run.h"

/* Runs a bench and adds it to the run, whose verdict on the TSC must already be set. The returned
 * element is valid until the next bench. */
const struct run_bench *host_bench_run(struct run *run, const struct bench *bench);
