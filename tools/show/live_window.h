/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A moving window: CPU-time accounts (accounting.h) and counts of events, summed over a time that
 * ends with the latest stamp. The window moves in steps of a 60th of its length.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tools/trace/accounts.h"

#define WINDOW_STEPS 60
/* one more than the steps of the window: the step that is not over yet */
#define WINDOW_SLOTS (WINDOW_STEPS + 1)

/* What a row sums up: the ticks of an account (enum account_kind), or one of these. */
enum window_kind {
    WINDOW_BUSY = ACCOUNT_KINDS, /* ticks of a processor; its number is the id */
    WINDOW_IDLE,
    WINDOW_TRACED,   /* these, and what is unknown */
    WINDOW_SWITCHES, /* of a processor to another thread */
    WINDOW_ISSUED,   /* requests of a disk */
    WINDOW_GOOD,     /* completed requests of a disk */
    WINDOW_FAILED,
    WINDOW_SECTORS,  /* of good requests, in 512 bytes */
    WINDOW_DURATION, /* ticks from issue to completion, of completed requests */
    WINDOW_REQUESTS, /* requests to disks that a thread issued */
    WINDOW_KINDS,
};

struct window_row {
    uint32_t bench; /* number that the caller gives to the bench */
    uint32_t kind;
    uint32_t id;
    /* latest value: the process of a thread, the requests that are outstanding on a device */
    uint32_t now;
    uint32_t awaited; /* latest number of these that a thread waits for, plus 1; 0: unknown */
    uint64_t sums[WINDOW_SLOTS]; /* by step number modulo WINDOW_SLOTS */
};

struct live_window {
    uint64_t step;   /* length of a step in ticks */
    uint64_t newest; /* number of the step that is not over yet: TSC / step */
    struct window_row *rows;
    size_t row_count, row_capacity;
    /* For each kind, by id: index in `rows` plus 1, or 0. Only of bench slots_of. */
    uint32_t (*slots)[ACCOUNT_NO_THREAD + 1];
    uint32_t slots_of;
    uint64_t latest; /* TSC of what was added last */
};

/* Makes an empty window of `ticks` ticks, at least 1. */
void window_init(struct live_window *window, uint64_t ticks);
void window_free(struct live_window *window);

/* Adds an interval of an account on a processor. What lies before the window is ignored. Stamps
 * must be below 2^62. Returns the row of the account, valid until the next call. */
struct window_row *window_add(struct live_window *window, uint32_t bench, uint32_t cpu,
                              const struct account_segment *segment);
/* Adds a count at a time, likewise. */
struct window_row *window_count(struct live_window *window, uint32_t bench, uint32_t kind,
                                uint32_t id, uint64_t tsc, uint64_t count);

#define WINDOW_ANY UINT32_MAX /* any bench, any id */
#define WINDOW_ALL UINT64_MAX /* all steps */

/* Returns the sum of the rows of a kind in all steps, or in that with a number of this window. */
uint64_t window_sum(const struct live_window *window, uint32_t bench, uint32_t kind, uint32_t id,
                    uint64_t step);
uint64_t window_row_sum(const struct window_row *row);
