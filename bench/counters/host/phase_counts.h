/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of the phases of an application: facts EVENT.PHASE (tools/qemu), EVENT being an event
 * that the run counts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/run/run.h"

/* Endo et al., on their figure 9: "20 cycles per miss as a lower bound on TLB miss handling". */
#define TLB_MISS_CYCLES 20

/* Is the fact one of these? Then *phase is in its name. */
bool phase_count_is_fact(const struct run *run, const struct run_fact *fact, const char **phase);
/* The phases that are counted, each once: the name of number `index`, or NULL behind the last. */
const char *phase_counted_at(const struct run *run, const struct run_bench *bench, size_t index);
/* What an event counted in a phase; NULL: it was not counted. */
const struct run_fact *phase_count_of(const struct run_bench *bench, const char *event,
                                      const char *phase);
