/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The accounts of a bench's traces as rows of a table; and sampling beside them, the old way: each
 * clock tick is charged to the thread that it met.
 */
#pragma once

#include "tools/trace/accounting.h"

#define ACCOUNT_ROWS_MAX 12 /* of threads, of interrupts, of DPCs; what is more shares a row */

struct account_row {
    char label[ACCOUNT_LABEL_MAX]; /* "idle", "thread worker", "3 more threads", "dispatch" */
    uint64_t ticks;
};

struct account_rows {
    struct account_row *row; /* their ticks sum to accounting_sum() */
    size_t count, capacity;
};

/* Idle, the busiest threads, page faults where there are any, interrupts and DPCs by number,
 * dispatch, the tracer, and what is unknown. */
void account_rows_of(const struct accounting *accounting, struct account_rows *rows);
void account_rows_free(struct account_rows *rows);

/* Of a thread, shares of the time that is known, 0 to 1. */
struct account_sampled {
    const struct account_thread *thread;
    double by_samples;
    double by_events; /* page faults included */
};

/* All threads, the largest error first; to be freed. NULL and *count = 0 where no clock ticked. */
struct account_sampled *account_sampling_of(const struct accounting *accounting, size_t *count);
