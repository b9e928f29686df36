/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of a timer's period on one processor: deadline, handler, deferred call, thread; and the
 * books of all ways. Memory does not depend on their number. Stamps are of the processor's own TSC.
 *
 * A period whose deadline comes while another is on its way is an overrun: it is counted, and has
 * no way. The one on its way waits longer than any that came behind it, so that the maximum is
 * exact all the same; deadlines are multiples of the period from the first, whatever is late.
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
    int64_t *first;     /* samples of the first ways */
    int64_t *worst;     /* by slots of struct way's worst */
    int64_t *histogram; /* gap_histogram.h */
    uint64_t sum;
    int64_t min, max;
    uint64_t max_at; /* deadline of the maximum, behind the first deadline */
};

struct way {
    /* Set before. */
    uint64_t first; /* deadline, TSC */
    uint64_t period;
    uint64_t count;                   /* periods */
    uint64_t delay_dpc, delay_thread; /* iterations of idle_loop_spin() before the stamp; 0: none */
    uint64_t stop_ticks;              /* a whole beyond ends all processors; 0: never */
    struct flight_stop *stop;         /* of all processors */
    size_t index;                     /* of this one, for stop */

    /* The period on its way. */
    uint64_t deadline, handler, dpc;
    volatile bool pending;

    uint64_t due; /* deadline that comes next */
    uint64_t expired;
    uint64_t overruns;
    uint64_t ways;
    uint64_t disorders; /* stamps that were before the one before */
    struct worst worst; /* by the whole */
    int64_t *at;        /* deadlines by slots */
    struct span_book book[WAY_SPANS];
    volatile bool over; /* no period will come */
};

/* Room for `first` raw samples and the `largest` longest. False: no memory. */
bool way_take_memory(struct way *way, size_t first, size_t largest);
/* Periods from the TSC `first` on. */
void way_begin(struct way *way, uint64_t first);

/* In the timer's handler. True: a deferred call is to follow; false: an overrun, or all is over. */
bool way_handle(struct way *way);
/* In the deferred call. */
void way_defer(struct way *way);
/* In the thread: writes the way down. */
void way_arrive(struct way *way);

/* Publishes the books as those of processor `number`. False: no memory. */
bool way_publish(struct bench_run *run, struct way *way, size_t number);
/* The books close: histograms hold each way once, spans sum to the whole, each period has a way or
 * is an overrun, no stamp is before another. OK or FAIL. */
enum bench_state way_judge(struct bench_run *run, const struct way *way, size_t number);
