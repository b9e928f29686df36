/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The idle loop against the event trace of the same time.
 *
 * A bench whose idle thread is the calibrated idle loop (kernel/clock/idle_loop.h) may publish the
 * lengths of the loop's samples, one behind the other, as series "idle", with fact "idle_origin":
 * the TSC of the first one's begin, less the begin of the trace's first part. By the idle loop, a
 * sample is longer than the shortest by what was taken from it: its elongation. By the trace, part
 * of the same time was not idle. The two are independent of each other.
 *
 *     error = elongation - (length of the sample - idle time in it)
 *
 * A busy episode is the longest stretch without idle time. A sample that holds exactly one, whole,
 * is an event that both have seen.
 */
#pragma once

#include "tools/trace/accounting.h"

/* Samples of one kind. */
struct reconcile_class {
    uint64_t n;
    int64_t largest;     /* error, by its magnitude and with its sign, where n > 0 */
    uint64_t largest_at; /* sample */
    uint64_t within;     /* samples whose error is at most one iteration of the loop */
    uint64_t near;       /* samples whose error is at most the tolerance */
    int64_t elongation;  /* sums */
    int64_t predicted;
};

struct reconcile {
    bool present; /* the bench has what it takes; else `why` not, NULL where it does not try to */
    const char *why;
    int64_t shortest; /* ticks */
    uint64_t behind;  /* ticks of the trace behind the last sample, which are in none: one that was
                       * not over when the trace ended is not kept, however long */
    uint64_t iteration_millitick;
    uint64_t tolerance;             /* ticks: an iteration, or reconcile_allow_spread() */
    struct reconcile_class quiet;   /* without a busy episode */
    struct reconcile_class single;  /* with exactly one, whole */
    struct reconcile_class several; /* with more, or with part of one */

    /* The sample that is being read. */
    const struct run_series *series;
    struct run_walk walk;
    uint32_t sample;
    uint64_t from, to; /* TSC */
    bool done;
    uint64_t idle;
    bool unknown; /* some of it */
    uint64_t episodes;
    bool busy;    /* an episode goes on */
    bool partial; /* one reaches beyond the sample */
};

/* Of a bench: `present` is whether there is anything to read. */
void reconcile_init(struct reconcile *reconcile, const struct run_bench *bench);

/* For real time, where even undisturbed samples differ, and all are compared with the shortest:
 * from now on the tolerance is an iteration and RECONCILE_SPREADS times what the shortest tenth of
 * the samples spread over, which are undisturbed where a tenth of all are. */
#define RECONCILE_SPREADS 5
void reconcile_allow_spread(struct reconcile *reconcile);

/* For accounting_read(), if present. */
struct account_observer reconcile_observer(struct reconcile *reconcile);

/* All samples that were compared. */
void reconcile_total(const struct reconcile *reconcile, struct reconcile_class *total);

/* Is there more behind the last sample than an undisturbed one would hold? */
bool reconcile_lacks_end(const struct reconcile *reconcile);

/* Samples that were not compared: they did not arrive, lie outside the trace, or in unknown time.
 */
uint64_t reconcile_outside(const struct reconcile *reconcile);

/* An error in iterations of the idle loop; NaN where their length is not known. */
double reconcile_iterations(const struct reconcile *reconcile, int64_t ticks);
