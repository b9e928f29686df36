/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The benches of threads: what their traces state beside what they know of themselves.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/present/view.h"
#include "tools/run/run.h"

#define TASK_MARKS_MAX 8 /* more are not looked at */

/* Bench `switches`: the rounds of one way, between its mark and the next mark "end". A switch is of
 * the way whose thread made it, by the thread's name; where a mark is lost, those that are left of
 * the way's threads count. */
struct switch_phase {
    const char *way;
    uint64_t threads;  /* 0: not known */
    uint64_t switches; /* events in the trace */
    uint64_t ticks;    /* from mark to mark, in the trace; 0: a mark is missing */
    uint64_t lost;     /* records and packets: if not 0, there may be more switches than those */
    int64_t expected;  /* switches by what the bench did, and slots that came too late; */
    int64_t late;      /* of the facts */
    bool seen;         /* the trace holds something of it */
};

/* How many phases there are, of those that the facts report. 0: the trace holds nothing of them. */
size_t task_switch_phases(const struct run_bench *bench,
                          struct switch_phase phases[TASK_MARKS_MAX]);

/* Bench `aliasing`: the processor share of a thread in the periods in which it worked, 0 to 1. */
struct aliased_thread {
    const char *name;
    double truth;      /* by construction */
    double by_itself;  /* its own readings of the TSC, interrupts included */
    double by_events;  /* of the trace */
    double by_samples; /* clock ticks that charged it */
};

#define ALIASED_THREADS 2

/* False where something is missing; *why then names it. */
bool task_aliased_threads(const struct run_bench *bench,
                          struct aliased_thread threads[ALIASED_THREADS], const char **why);

/* Bench `inversion`: how long the highest priority waited for its lock, in ticks. */
struct inverted_wait {
    const char *variant;
    int64_t expected; /* by construction */
    int64_t observed; /* by the thread's own reading of the TSC */
    int64_t observed_error;
    bool has_traced;
    int64_t traced; /* by the trace: for the lock, until it is ready */
    int64_t traced_error;
};

#define INVERTED_WAITS 3

/* How many variants the facts report. */
size_t task_inverted_waits(const struct run_bench *bench,
                           struct inverted_wait waits[INVERTED_WAITS]);

/* Bench `overload`: a part of its trace. */
struct overload_part {
    const char *mode;
    int64_t produced; /* marks, as the thread counted that made them */
    uint64_t marks;   /* of these in the trace */
    uint64_t kept, discarded, overwritten;
    /* Records that are in the trace, were discarded or overwritten, less those that were made: 0,
     * or some are counted wrongly. */
    int64_t unaccounted;
};

#define OVERLOAD_PARTS 2

struct overload {
    struct overload_part part[OVERLOAD_PARTS];
    uint64_t before; /* records of a part before its marks; the first part kept all of these */
    uint64_t behind; /* records of a part behind its marks; the last part kept all of these */
};

/* False where something is missing; *why then names it. */
bool task_overload(const struct run_bench *bench, struct overload *overload, const char **why);

/* Bench `order`: the services of each scenario in `tare show`, in words. */
void view_order(const struct view *view, const struct run_bench *bench);
