/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of bench exits that interrupts: this processor by itself, out of HLT, and another.
 */
#pragma once

#include <stddef.h>

#include "kernel/run/bench.h"

/* Measures and sends `count` samples each of self_ipi, hlt_pending, hlt_timer, ipi and ipi_halted;
 * what the machine has not, is absent. BENCH_OK; else the reason is set. */
enum bench_state exit_wakes(struct bench_run *run, size_t count);
