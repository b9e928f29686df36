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
#include "tools/trace/accounting.h"
#include "tools/trace/availability.h"
#include "tools/trace/delays.h"
#include "tools/trace/disk_requests.h"
#include "tools/trace/reconcile.h"

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
