/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/counters/host/kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/counters/names.h"

#define NAME_MAX_LENGTH 256 /* a longer name is no fact of any image */

static const char expected_suffix[] = "." FACT_KERNEL_EXPECTED;

void kernel_count_of(const struct run_bench *bench, const struct run_series *series,
                     struct kernel_count *count)
{
    char name[NAME_MAX_LENGTH];

    snprintf(name, sizeof(name), "%s.%s%s", series->of, series->event, expected_suffix);
    const struct run_fact *expected = run_find_fact(bench, name);

    *count = (struct kernel_count){
        .event = series->event,
        .has_expected = expected != NULL,
        .expected = expected != NULL ? expected->value : 0,
        .error_percent = NAN,
    };
    statistics_of(series->samples, series->received, &count->measured);
    if (count->measured.n > 0 && count->expected != 0) {
        count->error_percent = 100 * ((double)count->measured.median - (double)count->expected) /
                               (double)count->expected;
    }
}

const struct run_fact *kernel_iterations(const struct run_bench *bench, const char *kernel)
{
    char name[NAME_MAX_LENGTH];

    snprintf(name, sizeof(name), "%s." FACT_ITERATIONS, kernel);
    const struct run_fact *own = run_find_fact(bench, name);

    return own != NULL ? own : run_find_fact(bench, FACT_ITERATIONS);
}

bool is_kernel_expectation(const struct run_fact *fact)
{
    const size_t length = strlen(fact->name);
    const size_t suffix = strlen(expected_suffix);

    return length > suffix && strcmp(fact->name + length - suffix, expected_suffix) == 0;
}
