/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON of bench counters: each kernel's counts beside what the manual expects of them.
 */
#include <string.h>

#include "bench/counters/host/counts.h"
#include "bench/counters/host/kernels.h"
#include "bench/counters/names.h"
#include "tools/present/json_kit.h"
#include "tools/present/reading.h"

static void put_kernel(struct json *json, const struct run_bench *bench, const char *kernel)
{
    const struct run_fact *iterations = kernel_iterations(bench, kernel);

    json_object(json, NULL);
    json_text(json, "name", kernel);
    json_optional(json, "iterations", iterations != NULL,
                  iterations != NULL ? iterations->value : 0);
    json_array(json, "counts");
    for (size_t i = 0; i < bench->series_count; i++) {
        const struct run_series *series = &bench->series[i];
        struct kernel_count count;

        if (series->of == NULL || strcmp(series->of, kernel) != 0) {
            continue;
        }
        kernel_count_of(bench, series, &count);
        json_object(json, NULL);
        json_text(json, "event", count.event);
        json_optional(json, "expected", count.has_expected, count.expected);
        json_statistics(json, &count.measured);
        json_number(json, "error_percent", count.error_percent, 6);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

static void put_kernels(struct json *json, const struct run *run, const struct run_bench *bench)
{
    const char *kernel;

    (void)run;
    json_array(json, "kernels");
    for (size_t i = 0; (kernel = counted_series_at(bench, i)) != NULL; i++) {
        put_kernel(json, bench, kernel);
    }
    json_close(json);
}

READING_REGISTER(kernels_json) = {.bench = BENCH_COUNTERS, .order = 10, .json = put_kernels};
