/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What Linux did to the trials of a bench, and which figures it spoiled.
 *
 * Linux may take the processor at any time, which adds to a trial. The shortest trials are
 * therefore the best estimate of a cost ("least"): the minimum or, for pairs of once and twice as
 * many repetitions, the difference of the two minima. A median that is negative or far from it does
 * not describe the processor.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

#define HOST_FAR 3.0 /* a median is far from the least value by more than this factor */

struct host_cost {
    double median, least; /* of one repetition */
};

/* Computes the cost of a repetition from trials of `repetitions` and, unless `twice` is NULL, of
 * twice as many. Returns whether the median is positive and not far from the least value. */
bool host_cost_judge(const int64_t *once, const int64_t *twice, size_t trials, int64_t repetitions,
                     struct host_cost *cost);

/* Adds a fact `least.NAME`, in ps, for each cost of the bench and for the last point of each curve.
 * Removes each cost and each point whose median cannot be trusted, and adds why it is absent. */
void host_trials_judge(struct run *run, struct run_bench *bench);

/* What Linux took from this thread and its processor since the program started. */
struct host_taken {
    uint64_t switches; /* involuntary context switches */
    uint64_t steal_ms; /* time that the hypervisor ran other guests on this processor */
};
struct host_taken host_taken(void);
