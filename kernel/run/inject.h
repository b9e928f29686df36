/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults on purpose, in unmodified benches: they test on any machine that each fault is caught,
 * named and survived.
 *
 *     inject=KIND@BENCH[,KIND@BENCH...]   BENCH may be all; the first item that fits is used
 *     inject.after=NUMBER
 *
 *     ud       an invalid opcode
 *     pointer  a write to an address where there is no memory
 *     loop     an infinite loop
 *     stack    calls that never return, until the stack is used up
 *     nmi      an unexpected NMI; the bench continues
 *     storm    an interrupt without a handler that comes again and again until the bench ends: a
 *              second comparator of the HPET raises an input of an I/O APIC permanently. The bench
 *              continues, and is interrupted when it enables interrupts. If there is no such
 *              comparator, the fact `injected_storm` is absent
 *     vanish   the last of the other working processors stops for good; the bench continues
 *     oom      NUMBER allocations succeed (default 0), and then none until the bench ends
 *
 * The bench is single-stepped (RFLAGS.TF, SDM volume 3 section 17.3.1.4). After NUMBER instructions
 * (default 100) it is made to call a function with the fault, as if the call were part of the
 * bench: at its current place and on its stack. Only instructions in C functions of benches count;
 * what they call is not stepped through. If the bench ends earlier, the fault follows its end. In
 * exact time the fault comes at the same instruction each time. Without `inject` none of this code
 * runs.
 */
#pragma once

#include "kernel/dev/acpi.h"
#include "kernel/run/bench.h"
#include "kernel/run/settings.h"

/* Takes inject and inject.after from the plan, before the first bench. */
void inject_plan(const struct run_settings *settings);

/* Call once, before the first inject_call(). Keeps the pointer `acpi`. */
void inject_use(const struct acpi_facts *acpi);

/* Returns whether the plan wants a fault in this bench. */
bool inject_is_planned(const struct bench *bench);
/* Runs a bench for which a fault is planned. Returns its state. */
enum bench_state inject_call(struct bench_run *run);
/* Call after inject_call(), however it ended. Publishes as fact `injected_after` after how many
 * instructions the fault came, if it did, and stops stepping. */
void inject_end(const struct bench_run *run);
