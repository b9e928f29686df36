/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures costs by once and twice as many repetitions: series NAME and NAME.twice
 * (tools/run/curves.h). The host takes the difference, so that the code around the repetitions
 * cancels out.
 *
 * An estimate of a cost is for the value that `tare show` prints: one repetition, and in a bench
 * that has a cost `loop`, less that loop.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/system/kernels.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"

/* A bench of costs has the parameters `repetitions` (at most REPETITIONS_MAX) and `trials` (at most
 * this). */
#define TRIALS_MAX 10000

struct cost {
    const char *name;
    const char *name_twice;
    repeated *kernel;
};

/* Measures and publishes one cost. Runs with once and twice the repetitions alternate, so that a
 * change of the processor's clock affects both. A first trial, which warms caches and predictors,
 * is discarded. Returns false if there is no memory. */
static inline bool measure_cost(const struct bench_run *run, const struct cost *cost)
{
    const uint64_t repetitions = bench_number(run, "repetitions");
    const size_t trials = bench_number(run, "trials");
    int64_t *once = bench_samples(trials);
    int64_t *twice = bench_samples(trials);

    if (once == NULL || twice == NULL) {
        return false;
    }
    cost->kernel(repetitions);
    for (size_t i = 0; i < trials; i++) {
        once[i] = (int64_t)cost->kernel(repetitions);
        twice[i] = (int64_t)cost->kernel(2 * repetitions);
    }
    bench_publish(run, cost->name, UNIT_TICK, once, trials);
    bench_publish(run, cost->name_twice, UNIT_TICK, twice, trials);
    return true;
}

/* Measures and publishes all costs and the fact `repetitions`. Returns BENCH_OK or BENCH_ERROR. */
static inline enum bench_state measure_costs(struct bench_run *run, const struct cost *costs,
                                             size_t count)
{
    bench_fact(run, FACT_REPETITIONS, UNIT_COUNT, (int64_t)bench_number(run, "repetitions"));
    for (size_t i = 0; i < count; i++) {
        if (!measure_cost(run, &costs[i])) {
            return bench_error(run, "no memory for samples");
        }
    }
    return bench_ok(run);
}
