/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparison of the idle loop with the event trace of the same time.
 *
 * A bench whose idle thread is the calibrated idle loop (kernel/clock/idle_loop.h) may publish the
 * lengths of the loop's contiguous samples as series "idle", with fact "idle_origin": the TSC at
 * the start of the first sample minus the TSC at the start of the trace's first part. According to
 * the idle loop, a sample exceeds the shortest one by the time taken from it: its excess. According
 * to the trace, part of the same time was not idle. The two are independent of each other.
 *
 *     error = excess - (length of the sample - idle time in it)
 *
 * With several processors, the loop runs on processor 0, and the trace is that of processor 0.
 *
 * A busy episode is a maximal interval without idle time. A sample that contains exactly one
 * complete episode is an event that both have seen.
 */
#pragma once

#include "tools/trace/accounting.h"

/* Sums over the samples of one class. */
struct reconcile_class {
    uint64_t n;
    int64_t largest;     /* error with the largest magnitude, with its sign; valid if n > 0 */
    uint64_t largest_at; /* index of the sample with the largest error */
    uint64_t within;     /* samples whose error is at most one iteration of the loop */
    uint64_t near;       /* samples whose error is at most the tolerance */
    int64_t elongation;  /* sum of the excesses */
    int64_t predicted;
};

struct reconcile {
    /* the bench has the required series; otherwise `why` is the reason, or NULL if it does not
     * publish them */
    bool present;
    const char *why;
    int64_t shortest; /* ticks */
    /* ticks of the trace after the last sample, which are in no sample: a sample that had not ended
     * with the trace is not kept, however long */
    uint64_t behind;
    uint64_t iteration_millitick;
    /* in ticks: one iteration, or the value of reconcile_allow_spread() */
    uint64_t tolerance;
    struct reconcile_class quiet;   /* samples without a busy episode */
    struct reconcile_class single;  /* samples with exactly one complete episode */
    struct reconcile_class several; /* samples with several episodes, or with part of one */

    /* The following members describe the sample that is being read. */
    const struct run_series *series;
    struct run_walk walk;
    uint32_t sample;
    uint64_t from, to; /* TSC */
    bool done;
    uint64_t idle;
    bool unknown; /* some of the sample's time is unknown */
    uint64_t episodes;
    bool busy;    /* an episode is in progress */
    bool partial; /* an episode reaches beyond the sample */
};

/* Prepares the comparison of a bench. `present` tells whether there is anything to compare. */
void reconcile_init(struct reconcile *reconcile, const struct run_bench *bench);

/* For real time, in which even undisturbed samples differ, and all are compared with the shortest.
 * Raises the tolerance to one iteration plus RECONCILE_SPREADS times the spread of the shortest
 * tenth of the samples. Those are undisturbed if a tenth of all samples are. */
#define RECONCILE_SPREADS 5
void reconcile_allow_spread(struct reconcile *reconcile);

/* Returns the observer to pass to accounting_read(). Call only if `present`. */
struct account_observer reconcile_observer(struct reconcile *reconcile);

/* Sums all samples that were compared. */
void reconcile_total(const struct reconcile *reconcile, struct reconcile_class *total);

/* Is there more time after the last sample than an undisturbed sample takes? */
bool reconcile_lacks_end(const struct reconcile *reconcile);

/* Returns the number of samples that were not compared: they did not arrive, or lie outside the
 * trace or in unknown time. */
uint64_t reconcile_outside(const struct reconcile *reconcile);

/* Returns an error in iterations of the idle loop, or NaN if their length is not known. */
double reconcile_iterations(const struct reconcile *reconcile, int64_t ticks);
