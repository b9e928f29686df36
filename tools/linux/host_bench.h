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
#include "tools/base/progress.h"
#include "tools/run/run.h"

/* Runs a bench and adds it to the run, whose verdict on the TSC must already be set. The returned
 * element is valid until the next bench. A bench that calls bench_stopped() shows its progress
 * there and publishes what it has once `budget_s` seconds are over (0: no limit) or a signal came;
 * after a signal the run has a loss, and interrupt_seen() stays true. */
const struct run_bench *host_bench_run(struct run *run, const struct bench *bench,
                                       struct progress *progress, uint64_t budget_s);
