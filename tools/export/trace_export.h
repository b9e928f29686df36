/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The traces of one pass of a bench, all parts one behind the other, in a form for others.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tools/export/perfetto_pieces.h"
#include "tools/export/perfetto_writer.h"
#include "tools/run/run.h"

#define TRACE_EXPORT_ERROR_MAX 512

/* What was written, and what was not there to be. */
struct trace_export_counts {
    uint64_t events;
    uint64_t packets;   /* lost on the line or damaged */
    uint64_t discarded; /* events that found no room, or were overwritten */
};

/* All return false with one line in `error`: the packets cannot be read, stamps of one part lie
 * before those of an earlier one or are beyond all reason, or nothing can be written. For `out`,
 * ferror() reports a failed write. They stop, and return false with an empty `error`, when
 * interrupt_seen(). All but the last need the rate of the TSC: run->verdict.hz must not be 0. */

/* A CTF 1.8 trace in `directory`, which exists and is empty: ctf_writer.h. */
bool trace_export_ctf(const struct run *run, const struct run_bench *bench, const char *directory,
                      struct trace_export_counts *counts, char error[TRACE_EXPORT_ERROR_MAX]);

/* Into a Perfetto trace that holds other benches as well, this one is number `index`, from 0:
 * perfetto_trace.h. `writer` writes to the last of the pieces, and to further ones;
 * `pieces` NULL: there is one. */
bool trace_export_perfetto(const struct run *run, const struct run_bench *bench,
                           struct perfetto_writer *writer, struct perfetto_pieces *pieces,
                           uint32_t index, struct trace_export_counts *counts,
                           char error[TRACE_EXPORT_ERROR_MAX]);

/* Events of ours as events.def has them: bench, pass, TSC, name, fields. Without a heading. */
bool trace_export_csv(const struct run *run, const struct run_bench *bench, FILE *out,
                      struct trace_export_counts *counts, char error[TRACE_EXPORT_ERROR_MAX]);
