/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When an input arrived: at the interrupt in whose handler its last byte was read. The interrupt
 * came before the time stamp of isr_entry by isr_lead ticks (run_trace_costs), plus the time that
 * the tracer took to open a packet for that event. If no handler read the byte, the input arrived
 * when it was read. With several processors, the handler is one of the processor that reports the
 * input.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/trace/accounting.h"

/* a power of 2; enough for a deferred call (DPC) that runs this many handlers late */
#define ARRIVAL_HANDLERS 256

/* One run of an interrupt handler. */
struct arrival_handler {
    uint64_t entry, exit; /* TSC */
    uint64_t lead;        /* ticks from the interrupt to `entry` */
    uint32_t vector;
    size_t on; /* accounting->on */
    bool open; /* the handler has not returned */
};

/* State of the search. Set to zeroes before use. */
struct arrival_finder {
    uint32_t isr_lead;
    size_t on; /* processor of the latest event */
    /* handler number i is at index i % ARRIVAL_HANDLERS */
    struct arrival_handler handlers[ARRIVAL_HANDLERS];
    size_t count;
};

/* Returns an observer for accounting_read(). After a gap in a processor's trace, no handler of it
 * from before is assumed to be still running. */
struct account_observer arrival_observer(struct arrival_finder *finder);

/* Returns the TSC of the arrival of what was read at `stamp`. Sets *entry to the TSC of the trace's
 * record of that interrupt, or to `stamp`; `entry` may be NULL. */
uint64_t arrival_of(const struct arrival_finder *finder, uint64_t stamp, uint64_t *entry);
