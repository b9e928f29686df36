/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults on purpose, in benches as they are: to prove on any machine that each of them is caught,
 * named and survived.
 *
 *     inject=KIND@BENCH[,KIND@BENCH...]   BENCH may be all; the first that fits counts
 *     inject.after=NUMBER
 *
 *     ud       an opcode that there is not
 *     pointer  a write to where nothing is
 *     loop     a loop without end
 *     stack    calls that never return, until the stack is used up
 *     nmi      an unexpected NMI; the bench goes on
 *     storm    an interrupt without a handler that comes again and again until the bench
 *              ends: a second comparator of the HPET raises an input of an I/O APIC and never lets
 *              go; the bench goes on, and meets it where it lets interrupts in. Where there is none
 *              fact `injected_storm` is absent
 *     vanish   the last other processor that works stops for good; the bench goes on
 *     oom      so many allocations succeed (default 0), and then none, until the bench ends
 *
 * The bench is stepped through, one instruction at a time (RFLAGS.TF, SDM volume 3
 * section 17.3.1.4), and after so many instructions of C functions of benches (default 100; what
 * they call is not stepped through and does not count) it is made to call what does it, as if that
 * stood in the bench: in its own place and on its own stack. A bench that is over by then meets it
 * behind its end. In exact time it is the same instruction each time. Without `inject` nothing of
 * this runs.
 */
#pragma once

#include "kernel/dev/acpi.h"
#include "kernel/run/bench.h"
#include "kernel/run/settings.h"

/* inject and inject.after, before the first bench. */
void inject_plan(const struct run_settings *settings);

/* Once, before the first call; `acpi` must stay. */
void inject_use(const struct acpi_facts *acpi);

/* Does the plan want a fault in this bench? */
bool inject_is_planned(const struct bench *bench);
/* Calls such a bench. */
enum bench_state inject_call(struct bench_run *run);
/* However that ended: reports as fact `injected_after` after how many instructions the fault came,
 * where it did, and stops. */
void inject_end(const struct bench_run *run);
