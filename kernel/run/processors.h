/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run's report on the processors (kernel/smp/processor.h): which ones there are, where they are,
 * and which of them do not work and why.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/cpu/cpuid.h"
#include "kernel/cpu/kind.h"
#include "kernel/plan/plan.h"

/* Sets how APIC ids are decoded. Call before the other functions. */
void run_processors_init(const struct cpu_identity *identity);

/* Starts the processors. The first call also sends a machine fact for each. */
void run_processors_start(void);

/* Returns whether the plan may set processor=NUMBER. Starts the processors to find out, except for
 * the current one. If not, `error` has the reason and the processors that work. */
bool run_processors_check(size_t number, char error[PLAN_ERROR_MAX]);

/* Returns the place of processor NUMBER, decoded from its APIC id. */
struct topology_place run_processor_place(size_t number);

/* run_processor_kinds() returns the kinds of the processors that worked when run_processors_start()
 * returned, in the order in which matrices of results list them. Before that call there are none.
 * run_processor_kind() returns the index of a processor's kind, or RUN_KIND_UNKNOWN if the
 * processor never worked or there are more than CPU_KINDS_MAX kinds. */
#define RUN_KIND_UNKNOWN SIZE_MAX
const struct cpu_kinds *run_processor_kinds(void);
size_t run_processor_kind(size_t number);

/* Reports processors that were lost since the last call. */
void run_processors_report_lost(void);
