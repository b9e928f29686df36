/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Benches on Linux: the image's own source files and kernels, run by this program.
 *
 * host_bench.c is the other implementation of kernel/run/bench.h, as far as these benches need it:
 * what they publish goes straight into a run. Nothing is counted and nothing traced here,
 * interrupts stay on, and Linux may take the processor at any time: a bench that asks for many
 * trials sees it in their spread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/run/bench.h"
#include "tools/run/run.h"

/* Runs one and adds it to the run, whose verdict on the TSC must be there. The returned element
 * stays valid until the next bench. */
const struct run_bench *host_bench_run(struct run *run, const struct bench *bench);
