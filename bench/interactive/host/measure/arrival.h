/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When an input arrived: the interrupt in whose handler its last byte was read, which is isr_lead
 * (run_trace_costs) before the stamp of isr_entry, and before what it took the tracer to open a
 * packet for it. Where no handler read it, when it was read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/trace/accounting.h"

#define ARRIVAL_HANDLERS 256 /* a power of 2: enough for a DPC that is late by as many */

/* A run of an interrupt's handler. */
struct arrival_handler {
    uint64_t entry, exit; /* TSC */
    uint64_t lead;        /* from the interrupt to `entry` */
    uint32_t vector;
    bool open; /* it has not returned */
};

/* All zeroes at first. */
struct arrival_finder {
    uint32_t isr_lead;
    struct arrival_handler handlers[ARRIVAL_HANDLERS]; /* number i at i % ARRIVAL_HANDLERS */
    size_t count;
};

/* For accounting_read(). Behind a gap no handler of before is known to go on. */
struct account_observer arrival_observer(struct arrival_finder *finder);

/* TSC of the arrival of what was read at `stamp`. */
uint64_t arrival_of(const struct arrival_finder *finder, uint64_t stamp);
