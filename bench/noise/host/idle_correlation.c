/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/host/idle_correlation.h"

#include <stdlib.h>
#include <string.h>

#include "bench/noise/names.h"
#include "kernel/pmu/names.h"
#include "tools/base/alloc.h"
#include "tools/stats/statistics.h"
#include "tools/trace/idle_bench.h"

#define SAMPLES SERIES_TICKING

/* Samples whose number of interrupts is known. */
struct pairs {
    size_t n;
    uint32_t *index; /* of the sample; they rise */
    int64_t *interrupts;
    int64_t *length;
};

static void pairs_room(struct pairs *pairs, size_t n)
{
    *pairs = (struct pairs){
        .index = alloc_zeroed(n * sizeof(*pairs->index)),
        .interrupts = alloc_zeroed(n * sizeof(*pairs->interrupts)),
        .length = alloc_zeroed(n * sizeof(*pairs->length)),
    };
}

static void pairs_free(struct pairs *pairs)
{
    free(pairs->index);
    free(pairs->interrupts);
    free(pairs->length);
}

/* Joins lengths with counts, where both arrived. */
static bool pairs_by_event(const struct run_series *samples, const struct run_series *interrupts,
                           struct pairs *pairs, const char **why)
{
    struct run_walk walk = {.series = interrupts};
    const int64_t *length = samples->samples;

    pairs_room(pairs, samples->received);
    if (!idle_check(samples->samples, samples->received)) {
        *why = "its series contradict each other";
        return false;
    }
    for (size_t r = 0; r < samples->range_count; r++) {
        const struct run_range range = samples->ranges[r];

        for (uint32_t i = 0; i < range.count; i++, length++) {
            int64_t count;

            if (run_walk_to(&walk, range.first + i, &count)) {
                pairs->index[pairs->n] = range.first + i;
                pairs->interrupts[pairs->n] = count;
                pairs->length[pairs->n++] = *length;
            }
        }
    }
    return true;
}

static bool pairs_by_handler(const struct run_bench *bench, struct pairs *pairs, const char **why)
{
    struct idle_bench idle;

    if (!idle_bench_ticks(bench, &idle, why)) {
        pairs_room(pairs, 0);
        return false;
    }
    const size_t n = idle.samples->received;

    pairs_room(pairs, n);
    pairs->n = n;
    memcpy(pairs->length, idle.samples->samples, n * sizeof(*pairs->length));
    for (size_t i = 0; i < n; i++) {
        pairs->index[i] = (uint32_t)i;
    }
    for (size_t i = 0; i < idle.event_count; i++) {
        if (idle.events[i].found) {
            pairs->interrupts[idle.events[i].sample] += (int64_t)idle.events[i].count;
        }
    }
    idle_bench_free(&idle);
    return true;
}

static void find_events(const struct run_bench *bench, struct idle_correlation *correlation)
{
    correlation->events = alloc_zeroed(bench->series_count * sizeof(*correlation->events));
    for (size_t i = 0; i < bench->series_count; i++) {
        const struct run_series *series = &bench->series[i];

        if (series->of != NULL && strcmp(series->of, SAMPLES) == 0) {
            correlation->events[correlation->event_count++].counts = series;
        }
    }
}

static void make_medians(const struct idle_correlation *correlation, struct idle_counted *event,
                         const struct pairs *pairs, const size_t *order)
{
    struct run_walk walk = {.series = event->counts};
    int64_t *counts = alloc_zeroed(pairs->n * sizeof(*counts));
    bool *present = alloc_zeroed(pairs->n * sizeof(*present));
    int64_t *of_class = alloc_zeroed(pairs->n * sizeof(*of_class));

    event->medians = alloc_zeroed(correlation->class_count * sizeof(*event->medians));
    event->has_median = alloc_zeroed(correlation->class_count * sizeof(*event->has_median));
    for (size_t i = 0; i < pairs->n; i++) {
        present[i] = run_walk_to(&walk, pairs->index[i], &counts[i]);
    }
    for (size_t c = 0, at = 0; c < correlation->class_count; c++) {
        const size_t end = at + correlation->classes[c].samples;
        size_t found = 0;

        for (; at < end; at++) {
            of_class[found] = counts[order[at]];
            found += present[order[at]];
        }
        event->has_median[c] = found > 0;
        event->medians[c] = statistics_median(of_class, found);
    }
    free(counts);
    free(present);
    free(of_class);
}

static void make_classes(struct idle_correlation *correlation, const struct pairs *pairs,
                         const size_t *order, const size_t *starts)
{
    int64_t *lengths = alloc_zeroed(pairs->n * sizeof(*lengths));

    correlation->classes = alloc_zeroed(correlation->class_count * sizeof(*correlation->classes));
    for (size_t i = 0; i < pairs->n; i++) {
        lengths[i] = pairs->length[order[i]];
    }
    for (size_t c = 0; c < correlation->class_count; c++) {
        const size_t end = c + 1 < correlation->class_count ? starts[c + 1] : pairs->n;
        const int64_t length = statistics_median(lengths + starts[c], end - starts[c]);

        correlation->classes[c] = (struct idle_class){
            .interrupts = pairs->interrupts[order[starts[c]]],
            .samples = end - starts[c],
            .length = length,
            .elongation = length - correlation->floor,
        };
    }
    free(lengths);
}

static void correlate(struct idle_correlation *correlation, const struct pairs *pairs)
{
    size_t *order = alloc_zeroed(pairs->n * sizeof(*order));
    size_t *starts = alloc_zeroed(pairs->n * sizeof(*starts));

    correlation->samples = pairs->n;
    /* The elongation is the length less a constant: its correlation is the length's. */
    correlation->coefficient = statistics_correlation(pairs->interrupts, pairs->length, pairs->n);
    correlation->class_count = idle_group(pairs->interrupts, pairs->n, order, starts);
    make_classes(correlation, pairs, order, starts);
    for (size_t i = 0; i < correlation->event_count; i++) {
        make_medians(correlation, &correlation->events[i], pairs, order);
    }
    free(order);
    free(starts);
}

bool idle_correlate(const struct run_bench *bench, struct idle_correlation *correlation,
                    const char **why)
{
    const struct run_series *samples = run_find_series(bench, SAMPLES);
    const struct run_series *interrupts = run_find_counts(bench, SAMPLES, COUNT_INTERRUPTS);
    struct pairs pairs;

    memset(correlation, 0, sizeof(*correlation));
    if (!idle_bench_floor(bench, &correlation->floor, why)) {
        return false;
    }
    bool ok;

    if (samples != NULL && interrupts != NULL) {
        correlation->by_event = true;
        ok = pairs_by_event(samples, interrupts, &pairs, why);
    } else {
        ok = pairs_by_handler(bench, &pairs, why);
    }
    if (ok && pairs.n == 0) {
        *why = "no sample and its count arrived together";
        ok = false;
    }
    if (ok) {
        find_events(bench, correlation);
        correlate(correlation, &pairs);
    }
    pairs_free(&pairs);
    return ok;
}

void idle_correlation_free(struct idle_correlation *correlation)
{
    for (size_t i = 0; i < correlation->event_count; i++) {
        free(correlation->events[i].medians);
        free(correlation->events[i].has_median);
    }
    free(correlation->classes);
    free(correlation->events);
    memset(correlation, 0, sizeof(*correlation));
}
