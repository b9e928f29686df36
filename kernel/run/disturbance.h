/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What came unexpectedly while a bench ran: interrupts without end (kernel/irq/interrupt.h), NMIs
 * (kernel/cpu/exception.h), and another time than that of the boot (kernel/clock/clock.h). A bench
 * is promised a machine without any, and its numbers hold what they took: where it would be OK it
 * is FAIL, and gives the reason. Another time is the reason of whatever else the bench found.
 *
 * Facts: storm.VECTOR, how often it came; storm.VECTOR.input, the I/O APIC input that was masked,
 * or that absent and why; unexpected_nmi, their number; unexpected_nmi.first and .last, when they
 * came after the bench's begin; port_61h, where that named a line at any of them;
 * proof.ticks_per_instruction, in exact time; proof.CLOCK, the rate of the TSC by that clock. All
 * storms and NMIs count; the reason names the worst, the storm that came most often, and how many
 * more there were.
 */
#pragma once

#include "kernel/run/bench.h"

void disturbance_begin(void);
/* Reports what came since; returns the state that the bench has now. */
enum bench_state disturbance_end(struct bench_run *run, enum bench_state state);

/* Proves the time of the boot anew, apart from any bench; `when` is a part of a sentence. A run
 * that it fails for reports an error and is invalid. */
void disturbance_prove_run(const char *when);
