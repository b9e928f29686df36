/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces in `tare show` and in figures: books, threads, interrupts, disks, availability, delays.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/figure/figure.h"
#include "tools/present/view.h"
#include "tools/run/run.h"
#include "tools/trace/accounting.h"
#include "tools/trace/availability.h"
#include "tools/trace/delays.h"
#include "tools/trace/disk_requests.h"
#include "tools/trace/reconcile.h"

struct json; /* tools/base/json.h */

/* What is to be shown of a bench's traces. */
struct trace_wish {
    bool books;         /* accounts, sampling beside them, the idle loop against them, losses */
    bool threads;       /* each thread's states, wake-ups, locks */
    bool irqs;          /* each vector and DPC */
    bool disks;         /* each disk's requests */
    double interval_ms; /* busy shares of intervals of this length; 0: none */
    const char *thread; /* whose slowest wake-ups, by name or number; NULL: no thread's */
    size_t slowest;     /* how many of them */
};

/* Reads the traces once and shows it; NULL, or why something could not be shown, which is also
 * printed in its place. */
const char *view_trace(const struct view *view, const struct run_bench *bench,
                       const struct trace_wish *wish);

/* The thread of a bench that has this name, else this number; ACCOUNT_NO_THREAD: none. */
uint32_t view_find_thread(const struct run_bench *bench, const char *thread);

/* The parts of view_trace(). */
void view_books(const struct view *view, const struct accounting *accounting);
void view_sampling(const struct view *view, const struct accounting *accounting);
void view_reconcile(const struct view *view, const struct reconcile *reconcile);
void view_threads(const struct view *view, const struct accounting *accounting);
void view_irqs(const struct view *view, const struct accounting *accounting);
void view_disks(const struct view *view, const struct run_bench *bench,
                const struct disk_requests *requests);
void view_availability(const struct view *view, const struct availability *availability);
void view_delays(const struct view *view, const struct run_bench *bench,
                 const struct delays *delays);

void figures_threads(struct figures *figures, const struct run *run);

/*
 * The accounts of a bench's traces as rows of a table; and sampling beside them, the old way: each
 * clock tick is charged to the thread that it met.
 */

#define ACCOUNT_ROWS_MAX 12 /* of threads, of interrupts, of DPCs; what is more shares a row */

struct account_row {
    char label[ACCOUNT_LABEL_MAX]; /* "idle", "thread worker", "3 more threads", "dispatch" */
    uint64_t ticks;
};

struct account_rows {
    struct account_row *row; /* their ticks sum to accounting_sum(); to be freed */
    size_t count, capacity;
};

/* Idle, the busiest threads, page faults where there are any, interrupts and DPCs by number,
 * dispatch, the tracer, and what is unknown. */
void account_rows_of(const struct accounting *accounting, struct account_rows *rows);

/* Of a thread, shares of the time that is known, 0 to 1. */
struct account_sampled {
    const struct account_thread *thread;
    double by_samples;
    double by_events; /* page faults included */
};

/* All threads, the largest error first; to be freed. NULL and *count = 0 where no clock ticked. */
struct account_sampled *account_sampling_of(const struct accounting *accounting, size_t *count);

/* Key "accounting" of a bench: what accounting.h and reconcile.h make of its traces; null where it
 * has none, or where they cannot be read. All times are in ticks, of which an instruction takes so
 * many in exact time; 0: in real time. */
void accounting_json(struct json *json, const struct run_bench *bench,
                     double ticks_per_instruction);
