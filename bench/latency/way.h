/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures a timer's periods on one processor, from the deadline to the handler, the deferred call
 * and the thread, and keeps the statistics of all periods in memory whose size does not depend on
 * their number. Stamps are taken from the processor's own TSC.
 *
 * A period whose deadline passes while an earlier period is still being served is an overrun: it is
 * counted but has no sample. The earlier period waits longer than any period that came after it, so
 * the maximum is still exact. Deadlines are multiples of the period from the first deadline, even
 * if something is late.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/noise/flight.h"
#include "kernel/run/bench.h"
#include "kernel/run/worst.h"

enum span {
    WAY_HANDLER,
    WAY_DPC,
    WAY_THREAD,
    WAY_WHOLE,
    WAY_SPANS,
};

struct span_book {
    int64_t *first;     /* [slots] first samples and longest ones, by slots of `worst` */
    int64_t *worst;     /* [largest] the longest periods in the order of time */
    int64_t *histogram; /* bins of gap_histogram.h */
    uint64_t sum;
    int64_t min, max;
    uint64_t max_at; /* deadline of the maximum, in ticks after the first deadline */
};

struct way {
    /* Set before the first period. */
    uint64_t first; /* first deadline, by the TSC */
    uint64_t period;
    uint64_t count;                   /* number of periods */
    uint64_t delay_dpc, delay_thread; /* iterations of idle_loop_spin() before the stamp; 0: none */
    uint64_t stop_ticks;              /* a whole longer than this ends all processors; 0: never */
    struct flight_stop *stop;         /* shared by all processors */
    size_t index;                     /* index of this processor in the team */

    /* The period being served. */
    uint64_t deadline, handler, dpc;
    volatile bool pending;

    uint64_t due; /* the next deadline */
    uint64_t expired;
    uint64_t overruns;
    uint64_t ways;
    uint64_t disorders; /* periods whose stamps were not in order */
    struct worst worst; /* the longest by the whole */
    int64_t *at;        /* [slots] deadlines */
    struct span_book book[WAY_SPANS];
    volatile bool over; /* no further period will come */
};

/* Takes memory for the `first` first samples and the `largest` longest. Returns false if there is
 * not enough. */
bool way_take_memory(struct way *way, size_t first, size_t largest);
/* Sets the first deadline to the TSC `first`. */
void way_begin(struct way *way, uint64_t first);

/* Call in the timer's handler. Returns true if a deferred call must follow, false for an overrun or
 * after the last period. */
bool way_handle(struct way *way);
/* Call in the deferred call. */
void way_defer(struct way *way);
/* Call in the thread. Records the period. */
void way_arrive(struct way *way);

/* Publishes the statistics under the names of processor `number`. Returns false if there is not
 * enough memory. */
bool way_publish(struct bench_run *run, struct way *way, size_t number);
/* Checks the totals: each histogram holds each period once, spans add up to the whole, each period
 * was measured or is an overrun, and all stamps were in order. Returns OK or FAIL. */
enum bench_state way_judge(struct bench_run *run, const struct way *way, size_t number);
