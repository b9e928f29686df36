/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Views of traces, for `tare show` and for figures: accounting, threads, interrupts, disks,
 * availability, delays.
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

/* What to show of a bench's traces. */
struct trace_wish {
    bool consistency;   /* accounts, comparisons with sampling and with the idle loop, losses */
    bool threads;       /* each thread's states, wake-ups, locks */
    bool irqs;          /* each vector and DPC */
    bool disks;         /* each disk's requests */
    double interval_ms; /* busy shares of intervals of this length; 0: none */
    /* name or number of the thread whose slowest wake-ups are shown; NULL: none */
    const char *thread;
    uint64_t slowest; /* number of wake-ups to show */
};

/* Reads the traces once and prints what is wished. Returns NULL, or the reason why something could
 * not be shown, which is also printed in its place. Call run_forget() before you wish for something
 * else of the same bench. */
const char *view_trace(const struct view *view, const struct run_bench *bench,
                       const struct trace_wish *wish);

/* Returns the thread of a bench with this name, or otherwise with this number; ACCOUNT_NO_THREAD if
 * there is none. */
uint32_t view_find_thread(const struct run_bench *bench, const char *thread);

/* Returns the name of the thread, interrupt or deferred call in a TRACE_BY value, such as
 * "interrupt lapic_timer". */
const char *view_by_whom(const struct run_bench *bench, uint32_t by, char text[TABLE_CELL_MAX]);

/* These print the parts of view_trace(). */
void view_consistency(const struct view *view, const struct accounting *accounting);
void view_sampling(const struct view *view, const struct accounting *accounting);
void view_reconcile(const struct view *view, const struct reconcile *reconcile);
void view_threads(const struct view *view, const struct accounting *accounting);
/* What several processors did, and where threads ran; nothing if there is only one. */
void view_processors(const struct view *view, const struct accounting *accounting);
void view_threads_placed(const struct view *view, const struct accounting *accounting);
void processors_json(struct json *json, const struct accounting *accounting);
void view_delays(const struct view *view, const struct run_bench *bench,
                 const struct delays *delays);

void figures_threads(struct figures *figures, const struct run *run);

/*
 * The accounts of a bench's traces as rows of a table, and for comparison the classic sampling,
 * which charges each clock tick to the thread that it interrupts.
 */

#define ACCOUNT_ROWS_MAX 12 /* of threads, of interrupts, of DPCs; the rest shares a row */

struct account_row {
    char label[ACCOUNT_LABEL_MAX]; /* "idle", "thread worker", "3 more threads", "dispatch" */
    uint64_t ticks;
};

struct account_rows {
    struct account_row *row; /* their ticks sum to accounting_sum(); must be freed */
    size_t count, capacity;
};

/* Fills in the rows: idle, the busiest threads, page faults if there are any, interrupts and DPCs
 * by number, dispatch, the tracer, and unknown time. */
void account_rows_of(const struct accounting *accounting, struct account_rows *rows);

/* Shares of a thread in the known time, 0 to 1. */
struct account_sampled {
    const struct account_thread *thread;
    double by_samples;
    double by_events; /* includes page faults */
};

/* Returns all threads, the one with the largest error first. The caller frees the list. Returns
 * NULL and *count = 0 if no clock ticked. */
struct account_sampled *account_sampling_of(const struct accounting *accounting, size_t *count);

/* Writes key "accounting" of a bench: the results of accounting.h and reconcile.h for its traces,
 * or null if it has none or they cannot be read. All times are in ticks. */
void accounting_json(struct json *json, const struct run *run, const struct run_bench *bench);
