/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/present/metrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"

struct metric *metrics_add(struct metrics *metrics, const struct run_bench *bench,
                           const char *series, const char *x)
{
    char pass[16] = "";
    char name[METRIC_NAME_MAX];

    if (bench->pass > 1) {
        snprintf(pass, sizeof(pass), ":%" PRIu32, bench->pass);
    }
    snprintf(name, sizeof(name), "%s%s.%s%s%s%s", bench->name, pass, series, x != NULL ? "[" : "",
             x != NULL ? x : "", x != NULL ? "]" : "");
    metrics->item =
        alloc_append(metrics->item, &metrics->count, &metrics->capacity, sizeof(*metrics->item));
    struct metric *metric = &metrics->item[metrics->count - 1];

    *metric = (struct metric){
        .name = alloc_zeroed(strlen(name) + 1),
        .bench = bench->name,
        .series = series,
        .pass = bench->pass,
        .unit = UNIT_TICK,
        .x = NAN,
        .greatest_low = NAN,
        .greatest_high = NAN,
        .greatest_at = NAN,
    };
    memcpy(metric->name, name, strlen(name));
    return metric;
}

void metric_set(struct metric *metric, const int64_t *samples, size_t n)
{
    metric->n = n;
    metric->values = alloc_zeroed(n * sizeof(*metric->values));
    for (size_t i = 0; i < n; i++) {
        metric->values[i] = (double)samples[i];
    }
}

void metric_of_waits(const struct metrics *metrics, const struct run_bench *bench,
                     struct metric *metric)
{
    (void)bench;
    if (metrics->ticks_per_instruction <= 0 || metrics->ns_per_tick <= 0 ||
        strcmp(metric->unit, UNIT_TICK) != 0) {
        return;
    }
    metric->unit = UNIT_NANOSECOND;
    for (size_t i = 0; i < metric->n; i++) {
        metric->values[i] *= metrics->ns_per_tick;
    }
}

void metrics_free(struct metrics *metrics)
{
    for (size_t i = 0; i < metrics->count; i++) {
        free(metrics->item[i].name);
        free(metrics->item[i].values);
        free(metrics->item[i].cold);
    }
    free(metrics->item);
    *metrics = (struct metrics){0};
}
