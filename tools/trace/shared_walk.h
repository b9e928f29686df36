/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readings of a bench's traces that share one walk over them (accounting_read()). A command that
 * shows several calls walk_share(); the first one that it asks for then takes the others along.
 * Without walk_share(), each reading has a walk to itself.
 */
#pragma once

#include "tools/run/run.h"
#include "tools/trace/accounting.h"
#include "tools/trace/disk_requests.h"

#define WALK_READINGS_MAX 4

enum walk_use { WALK_TABLES = 1, WALK_JSON = 2, WALK_PAGE = 4 };

struct walk_wish {
    const struct run *run;           /* NULL: the reading that is asked for does not need it */
    unsigned uses;                   /* what the command shows: bits of enum walk_use */
    bool disks;                      /* it needs the requests of disks */
    const struct trace_wish *tables; /* for WALK_TABLES (view_trace.h) */
};

/* It stays with the bench until walk_done() or run_forget(). */
struct walk {
    struct run_reading reading;
    struct walk_wish wish;
    bool shared, walked;
    bool good; /* the traces could be read */
    struct accounting accounting;
    struct disk_requests requests; /* none unless wished for, or several readings share it */
    struct walk_seat {
        const struct trace_reading *of;
        void *state;
    } seats[WALK_READINGS_MAX];
    size_t seat_count;
};

/* Member `trace` of a report plug-in registers it. Members that may be NULL are said. */
struct trace_reading {
    unsigned uses; /* the uses in whose walk it takes part without being asked for */
    bool (*wanted)(const struct run_bench *bench); /* whether it does so; NULL: for each bench */
    size_t size;                                   /* of its state, which is zeroed before seat() */
    /* Fills in its observers and returns how many there are, at most 6 and one a processor. */
    size_t (*seat)(void *state, const struct run_bench *bench, const struct walk_wish *wish,
                   struct account_observer *observers);
    void (*end)(void *state, const struct walk *walk); /* called after the walk; or NULL */
    void (*free)(void *state);                         /* or NULL */
};

/* Lets the readings of these uses share a walk over each bench. The run must not change afterwards
 * without run_forget(), and `tables` must live as long. */
void walk_share(const struct walk_wish *wish);
/* Finds or makes the walk that has this reading; one that is not shared has the wish `alone`.
 * Returns the state of the reading. */
void *walk_for(const struct run_bench *bench, const struct trace_reading *reading,
               const struct walk_wish *alone, const struct walk **walk);
/* Frees a walk, unless others share it. */
void walk_done(const struct walk *walk, const struct run_bench *bench);
