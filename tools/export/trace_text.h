/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events as text, a line each, to the byte as babeltrace2 prints them from the exported trace with
 * --clock-seconds: seconds of the clock since its zero, since the event before, name, processor,
 * fields.
 *
 *     [12.345678901] (+0.000000100) sched_wakeup: { cpu_id = 0 }, { comm = "A", tid = 3, ... }
 *
 * Tens of millions of lines a second: no printf, no allocation for a line.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/export/trace_translate.h"

struct trace_text;

/* `hz`: of the TSC, not 0. The translator must outlive it. */
struct trace_text *trace_text_create(FILE *out, const struct translator *translator, uint64_t hz,
                                     uint32_t cpu);
void trace_text_event(struct trace_text *text, const struct export_event *event);
/* Writes what is held back, and frees. A failure shows in ferror() of the file. */
void trace_text_destroy(struct trace_text *text);

/* Nanoseconds of a stamp, as libbabeltrace2 has them: by double, truncated. UINT64_MAX where they
 * are more. */
uint64_t trace_text_ns(uint64_t tsc, uint64_t hz);
