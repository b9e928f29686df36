/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of the start of a simulation is to be left out, as it is not yet like the rest: MSER-5
 * (White, "An effective truncation heuristic for bias reduction in simulation output", Simulation
 * 69(6), 1997; Franklin and White, "Stationarity tests and MSER-5", Winter Simulation Conference
 * 2008). The series is averaged in batches of five; that many batches are left out which make the
 * standard error of the mean of the rest least, at most half of them.
 *
 * Memory is bounded: where a series has more than WARM_UP_BATCHES batches, two and two become one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WARM_UP_BATCHES 4096
#define WARM_UP_BATCH   5 /* values, of the first batches */

struct warm_up_series {
    double *sum;     /* of each batch */
    double *time;    /* of the end of each batch */
    size_t count;    /* whole batches */
    uint64_t length; /* values a batch */
    double open;     /* sum of the batch that is not whole */
    uint64_t open_count;
};

void warm_up_init(struct warm_up_series *series);
void warm_up_free(struct warm_up_series *series);
void warm_up_add(struct warm_up_series *series, double time, double value);

/* The time up to which to leave out, of several series of one kind, replications, averaged batch by
 * batch; as long as the slowest of them takes. False: they are too short for a sure answer, as the
 * best that was found is at the end of the first half, or as there are too few values, of which
 * nothing is left out. */
bool warm_up_find(struct warm_up_series *series, size_t count, double *time);
