/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench `counters` of a run: kernels whose counts are known beforehand. A kernel is a series
 * without an event; its counts are series of it, and fact `KERNEL.EVENT.expected` is the
 * count of each repetition by the manual.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/stats/statistics.h"

struct kernel_count {
    const char *event;
    bool has_expected;
    int64_t expected;
    struct statistics measured;
    double error_percent; /* of the median; NaN where nothing, or 0, is expected or none measured */
};

/* Fills *count from a count series of the bench. */
void kernel_count_of(const struct run_bench *bench, const struct run_series *series,
                     struct kernel_count *count);

/* Fact `KERNEL.iterations`, or else the bench's `iterations`; NULL where there is neither. */
const struct run_fact *kernel_iterations(const struct run_bench *bench, const char *kernel);

/* Is the fact one of the expectations above? */
bool is_kernel_expectation(const struct run_fact *fact);
