/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run as the screen shows it: how far it is, between benches, and at its end a table of
 * results. Nothing happens where there is no framebuffer.
 * What a row shows: summary_rows.h.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/run/bench.h"

/* Called between benches only; `number` of `total` begins. */
void summary_begin(const struct bench *bench, size_t number, size_t total);
/* The name is copied; the samples must stay as they are until the run is over. */
void summary_series(const struct bench *bench, const char *name, const char *unit,
                    const int64_t *samples, size_t count);
/* Of a bench that is run several times, the worst state is kept. */
void summary_end(const struct bench *bench, enum bench_state state);

struct summary_head {
    const char *date;    /* empty: unknown */
    const char *kind;    /* "exact", "emulated" or "real" */
    const char *machine; /* "own" or "borrow" */
};

/* The last that is drawn: under the table are the last lines that were printed. */
void summary_show(const struct summary_head *head);
