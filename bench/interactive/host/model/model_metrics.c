/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics of a simulated run: where not all values were kept, the greatest of all is known. */
#include <stdio.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "tools/present/reading.h"

static const struct run_fact *fact_of(const struct run_bench *bench, const char *prefix,
                                      const char *series)
{
    char name[METRIC_NAME_MAX];

    snprintf(name, sizeof(name), "%s%s", prefix, series);
    return run_find_fact(bench, name);
}

static bool model_places(const char *series)
{
    return strncmp(series, PREFIX_WORST, strlen(PREFIX_WORST)) == 0 ||
           strncmp(series, PREFIX_WORST_AT, strlen(PREFIX_WORST_AT)) == 0;
}

static void set_greatest(const struct metrics *metrics, const struct run_bench *bench,
                         struct metric *metric)
{
    const struct run_fact *unkept = fact_of(bench, PREFIX_UNKEPT, metric->series);
    const struct run_fact *largest = fact_of(bench, PREFIX_LARGEST, metric->series);

    (void)metrics;
    if (unkept == NULL || unkept->value <= 0) {
        return;
    }
    metric->unkept = (uint64_t)unkept->value;
    if (largest != NULL) {
        metric->greatest_low = metric->greatest_high = (double)largest->value;
    }
}

READING_REGISTER(model_metrics) = {.bench = BENCH_MODEL,
                                   .order = 500,
                                   .metrics = {.places = model_places, .adjust = set_greatest}};
