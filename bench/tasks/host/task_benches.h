/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the traces of the thread benches with what these benches know by construction.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/present/view.h"
#include "tools/run/run.h"

#define TASK_MARKS_MAX 8 /* further marks are ignored */

/* Bench `switches`: the rounds of one way, between its mark and the next mark "end". A switch
 * belongs to the way whose thread made it, by the thread's name. If a mark is lost, the way's
 * remaining switches still count. */
struct switch_phase {
    const char *way;
    uint64_t threads;  /* 0: unknown */
    uint64_t switches; /* switch events in the trace */
    uint64_t ticks;    /* from mark to mark in the trace; 0: a mark is missing */
    /* lost records and packets; if not 0, there may be more switches than `switches` */
    uint64_t lost;
    int64_t expected; /* switches by what the bench did, a fact */
    int64_t late;     /* slots that came too late, a fact */
    bool seen;        /* the trace contains something of this phase */
};

/* Reads the phases that the facts report. Returns the number of those of which the trace contains
 * anything. */
size_t task_switch_phases(const struct run_bench *bench,
                          struct switch_phase phases[TASK_MARKS_MAX]);

/* Bench `aliasing`: the processor share of a thread in the periods in which it worked, 0 to 1. */
struct aliased_thread {
    const char *name;
    double truth;      /* ground truth: share by construction */
    double by_itself;  /* share by the thread's own TSC readings, interrupts included */
    double by_events;  /* share by events in the trace */
    double by_samples; /* share by clock ticks that charged it */
};

#define ALIASED_THREADS 2

/* Returns false if something is missing; *why then says what. */
bool task_aliased_threads(const struct run_bench *bench,
                          struct aliased_thread threads[ALIASED_THREADS], const char **why);

/* Bench `inversion`: how long the thread of highest priority waited for its lock, in ticks. */
struct inverted_wait {
    const char *variant;
    int64_t expected; /* wait by construction */
    int64_t observed; /* wait by the thread's own TSC readings */
    int64_t observed_error;
    bool has_traced;
    int64_t traced; /* wait by the trace: from asking for the lock until the thread is ready */
    int64_t traced_error;
};

#define INVERTED_WAITS 3

/* Returns the number of variants that the facts report. */
size_t task_inverted_waits(const struct run_bench *bench,
                           struct inverted_wait waits[INVERTED_WAITS]);

/* Bench `overload`: one part of its trace. */
struct overload_part {
    const char *mode;
    int64_t produced; /* marks made, as counted by the thread that made them */
    uint64_t marks;   /* marks in the trace */
    uint64_t kept, discarded, overwritten;
    /* number of records in the trace, plus discarded and overwritten ones, minus all records made;
     * not 0 if some are counted wrongly */
    int64_t unaccounted;
};

#define OVERLOAD_PARTS 2

struct overload {
    struct overload_part part[OVERLOAD_PARTS];
    uint64_t before; /* records of a part before its marks; the first part kept all of them */
    uint64_t behind; /* records of a part after its marks; the last part kept all of them */
};

/* Returns false if something is missing; *why then says what. */
bool task_overload(const struct run_bench *bench, struct overload *overload, const char **why);

/* Bench `order`: prints the services of each scenario for `tare show`. */
void view_order(const struct view *view, const struct run_bench *bench);
