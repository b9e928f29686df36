/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a run reports of the processors (kernel/smp/processor.h): which there are, where they are,
 * which of them do not work and why.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/cpu/cpuid.h"
#include "kernel/cpu/kind.h"
#include "kernel/plan/plan.h"

/* How APIC ids are read, from now on. */
void run_processors_init(const struct cpu_identity *identity);

/* Starts them, and sends a machine fact for each, the first time. */
void run_processors_start(void);

/* May the plan have processor=NUMBER? They are started for that where it is not 0. False: `error`
 * has the reason, and those that work. */
bool run_processors_check(size_t number, char error[PLAN_ERROR_MAX]);

/* Where processor NUMBER sits, read from its APIC id. */
struct topology_place run_processor_place(size_t number);

/* The kinds of those that worked when run_processors_start() returned, in the order of matrices;
 * and which of them a processor is: below count, or RUN_KIND_UNKNOWN where it never worked, or
 * where there are more than CPU_KINDS_MAX. No kinds before that call. */
#define RUN_KIND_UNKNOWN SIZE_MAX
const struct cpu_kinds *run_processor_kinds(void);
size_t run_processor_kind(size_t number);

/* Reports those that were lost since the last call. */
void run_processors_report_lost(void);
