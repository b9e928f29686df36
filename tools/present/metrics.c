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
#include "tools/present/reading.h"

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

/* "FAMILY.BENCH" of a bench of the run, in its first pass. */
static const struct run_bench *find_family(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];
        const size_t length = bench->group != NULL ? strlen(bench->group) : 0;

        if (length > 0 && strncmp(name, bench->group, length) == 0 && name[length] == '.' &&
            strcmp(name + length + 1, bench->name) == 0) {
            return bench;
        }
    }
    return NULL;
}

/* The name without bench and point: of "burst.response.key_down[fast]" the middle. */
static const char *middle_of(const struct metric *metric, size_t *length)
{
    const char *dot = strchr(metric->name, '.');
    const char *middle = dot != NULL ? dot + 1 : metric->name;

    *length = strcspn(middle, "[");
    return middle;
}

/* The last of the bench's metrics of that name: of a curve, its last point. */
static const struct metric *last_of(const struct metrics *metrics, const struct run_bench *bench,
                                    const char *name, size_t length)
{
    const struct metric *last = NULL;

    for (size_t i = 0; i < metrics->count; i++) {
        const struct metric *metric = &metrics->item[i];
        size_t own_length;
        const char *own = middle_of(metric, &own_length);

        if (strcmp(metric->bench, bench->name) == 0 && metric->pass == bench->pass &&
            own_length == length && memcmp(own, name, length) == 0) {
            last = metric;
        }
    }
    return last;
}

/* The first of "a,b" that the bench has. */
static const struct metric *first_listed(const struct metrics *metrics,
                                         const struct run_bench *bench, const char *list)
{
    const struct metric *metric = NULL;

    while (metric == NULL && *list != '\0') {
        const size_t length = strcspn(list, ",");

        metric = last_of(metrics, bench, list, length);
        list += length + (list[length] == ',');
    }
    return metric;
}

const struct metric *metrics_main(const struct metrics *metrics, const struct run_bench *bench)
{
    const struct bench_reading *reading = NULL;
    const struct metric *metric = NULL;

    while (metric == NULL && (reading = bench_reading_next(reading, bench)) != NULL) {
        metric = reading->metrics.main != NULL ? first_listed(metrics, bench, reading->metrics.main)
                                               : NULL;
    }
    if (metric == NULL) {
        metric = last_of(metrics, bench, bench->name, strlen(bench->name));
    }
    for (size_t i = 0; metric == NULL && i < metrics->count; i++) {
        const struct metric *first = &metrics->item[i];

        if (strcmp(first->bench, bench->name) == 0 && first->pass == bench->pass) {
            size_t length;
            const char *middle = middle_of(first, &length);

            metric = last_of(metrics, bench, middle, length);
        }
    }
    return metric;
}

const struct metric *metrics_find(const struct metrics *metrics, const char *name)
{
    for (size_t i = 0; i < metrics->count; i++) {
        if (strcmp(metrics->item[i].name, name) == 0) {
            return &metrics->item[i];
        }
    }
    const struct run_bench *bench = find_family(metrics->run, name);

    return bench != NULL ? metrics_main(metrics, bench) : NULL;
}
