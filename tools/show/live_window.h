/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who had the processor in the last stretch of time: sums of accounts (accounting.h) over a window
 * that ends with the latest stamp and moves on with it, in steps of a 60th of its length.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tools/trace/accounting.h"

#define WINDOW_STEPS 60
/* One more: the step that is not over yet. */
#define WINDOW_SLOTS (WINDOW_STEPS + 1)

/* An account of a bench. */
struct window_row {
    uint32_t bench; /* a number that the caller gives it */
    enum account_kind kind;
    uint32_t id;
    uint64_t ticks[WINDOW_SLOTS]; /* by step, modulo */
};

struct live_window {
    uint64_t step;   /* ticks */
    uint64_t newest; /* number of the step that is not over: TSC / step */
    struct window_row *rows;
    size_t row_count, row_capacity;
    uint32_t *slots[ACCOUNT_KINDS]; /* by id, of the bench last seen: index in rows, and 1 */
    uint32_t slots_of;
    uint64_t switches[WINDOW_SLOTS];
    uint64_t latest; /* TSC of what was added last */
};

/* A window of so many ticks, not 0. */
void window_init(struct live_window *window, uint64_t ticks);
void window_free(struct live_window *window);

/* Stretches and switches come in order of time; what lies before the window is let pass. Stamps are
 * below 2^62. */
void window_add(struct live_window *window, uint32_t bench, const struct account_segment *segment);
void window_switch(struct live_window *window, uint64_t tsc);

/* Sums of what lies in the window. */
uint64_t window_row_ticks(const struct window_row *row);
uint64_t window_switches(const struct live_window *window);
