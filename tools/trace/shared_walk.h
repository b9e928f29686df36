/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readings of a bench's traces that share one walk over them (accounting_read()). A command that
 * shows several calls walk_share(); the first one that it asks for then takes the others along.
 * Without walk_share(), each reading has a walk to itself. Readings are registered as report
 * plug-ins are, because most are in modules above.
 */
#pragma once

#include "tools/run/run.h"
#include "tools/trace/accounting.h"

#define WALK_READINGS_MAX 8

enum walk_use { WALK_TABLES = 1, WALK_JSON = 2, WALK_PAGE = 4 };

struct walk_wish {
    const struct run *run;           /* NULL: no reading of the walk needs it */
    unsigned uses;                   /* what the command shows: bits of enum walk_use */
    const struct trace_wish *tables; /* see view_trace.h */
};

/* What was read stays with the bench until walk_done() or run_forget(). */
struct walk {
    struct run_reading reading;
    struct walk_wish wish;
    bool shared, walked;
    bool good; /* the traces could be read */
    struct accounting accounting;
    void *state[WALK_READINGS_MAX]; /* by trace_reading.place; NULL: it took no part */
};

struct trace_reading {
    unsigned uses; /* the uses in whose walk it takes part without being asked for */
    /* Returns whether it does so for this bench. */
    bool (*wanted)(const struct run_bench *bench, const struct walk_wish *wish);
    size_t size; /* of its state, which is zeroed before seat() */
    /* Fills in its observers and returns how many there are, at most 6 and one a processor. */
    size_t (*seat)(void *state, const struct run_bench *bench, const struct walk_wish *wish,
                   struct account_observer *observers);
    void (*end)(void *state, const struct walk *walk); /* called after the walk */
    void (*free)(void *state);
    size_t place; /* this and `next` are set by trace_reading_register() */
    struct trace_reading *next;
};

/* Registers a reading before main(). */
#define TRACE_READING(name)                                        \
    static struct trace_reading name;                              \
    __attribute__((constructor)) static void register_##name(void) \
    {                                                              \
        trace_reading_register(&name);                             \
    }                                                              \
    static struct trace_reading name

void trace_reading_register(struct trace_reading *reading);

/* Lets the readings of these uses share a walk over each bench. The run must not change afterwards
 * without run_forget(), and `tables` must live as long (NULL: none). */
void walk_share(const struct run *run, unsigned uses, const struct trace_wish *tables);
/* Returns the walk that has this reading, and makes it if there is none yet; if it is not shared,
 * with the wish `alone`. */
const struct walk *walk_for(const struct run_bench *bench, const struct trace_reading *reading,
                            const struct walk_wish *alone);
/* Frees a walk, unless others share it. */
void walk_done(const struct walk *walk, const struct run_bench *bench);
