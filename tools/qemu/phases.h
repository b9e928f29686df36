/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of the phases of an application: from the mark in the trace with which a phase begins to
 * the next such mark, or to the last event of that part of the trace.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

/* A phase: TSC of its begin and its end, each that of an event of the trace. */
struct phase_span {
    const char *name;
    uint64_t begin, end;
};

/* At most `capacity` phases, in order: of those in which the trace lacks nothing. `complete`: it
 * lacks nothing at all. A bench without phases has none, and is complete. */
size_t phases_read(const struct run_bench *bench, struct phase_span *spans, size_t capacity,
                   bool *complete);
