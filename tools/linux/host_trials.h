/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What Linux took from the trials of a bench, and which figures that spoiled. Linux only adds to a
 * trial, so the shortest trials give the best estimate of a cost (`least`): the minimum or, for
 * pairs of once and twice as many repetitions, the difference of the minima.
 */
#pragma once

#include "tools/run/run.h"

struct host_cost {
    double median, least; /* of one repetition */
};

/* Computes the cost from trials of `repetitions` and, unless `twice` is NULL, of twice as many.
 * Returns whether the median is above a third and below three times the least value. */
bool host_cost_judge(const int64_t *once, const int64_t *twice, size_t trials, int64_t repetitions,
                     struct host_cost *cost);

/* Adds a fact `least.NAME`, in ps, for each cost and for the last point of each curve. Removes
 * costs and points for which host_cost_judge() returns false, and adds why they are absent. */
void host_trials_judge(struct run *run, struct run_bench *bench);
