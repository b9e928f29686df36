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

/* Readings. All but the first are what a command shows: tables of a bench, JSON, the page. */
enum walk_use { WALK_INPUT, WALK_TABLES, WALK_JSON, WALK_PAGE, WALK_USES };

struct walk_wish {
    const struct run *run;           /* NULL: not needed for WALK_INPUT */
    enum walk_use use;               /* WALK_INPUT: the walk has the reading that is asked for */
    bool disks;                      /* it needs the requests of disks */
    const struct trace_wish *tables; /* for WALK_TABLES (view_trace.h) */
};

/* It stays with the bench until run_forget(). */
struct walk {
    struct run_reading reading;
    struct walk_wish wish;
    bool walked;
    bool good; /* the traces could be read */
    struct accounting accounting;
    struct disk_requests requests;             /* if wished for, or if it has WALK_INPUT */
    const struct trace_reading *of[WALK_USES]; /* NULL: it takes no part */
    void *state[WALK_USES];
};

/* Member `trace` of a report plug-in registers it. */
struct trace_reading {
    enum walk_use use;
    /* of WALK_INPUT: returns whether it takes part in the walk of tables or of a page */
    bool (*wanted)(const struct run_bench *bench);
    size_t size; /* of its state, which is zeroed before seat() */
    /* Fills in its observers and returns how many there are, at most 6 and one a processor. */
    size_t (*seat)(void *state, const struct run_bench *bench, const struct walk_wish *wish,
                   struct account_observer *observers);
    void (*end)(void *state, const struct walk *walk); /* called after the walk; or NULL */
    void (*free)(void *state);                         /* or NULL */
};

/* Lets the readings of a use share a walk over each bench. The run must not change afterwards
 * without run_forget(), and `tables` must live as long. */
void walk_share(const struct walk_wish *wish);
/* Returns the walk that has this reading. Makes it if there is none yet; if it is not shared, with
 * the wish `alone`. */
const struct walk *walk_for(const struct run_bench *bench, enum walk_use use,
                            const struct walk_wish *alone);
