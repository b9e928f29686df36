/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What came unexpectedly while a bench ran: interrupts without end
 * (kernel/irq/storm.h), and NMIs (kernel/cpu/exception.h). A bench is promised a machine without
 * either, and its numbers hold what they took: where it would be OK it is FAIL, and gives the
 * reason.
 *
 * Facts: storm.VECTOR, how often it came; storm.VECTOR.input, the I/O APIC input that was masked,
 * or that absent and why; unexpected_nmi; port_61h, where that named a line.
 */
#pragma once

#include "kernel/run/bench.h"

void disturbance_begin(void);
/* Reports what came since; returns the state that the bench has now. */
enum bench_state disturbance_end(struct bench_run *run, enum bench_state state);
