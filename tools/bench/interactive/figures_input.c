/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/bench/interactive/figures_input.h"
#include "tools/bench/interactive/view_input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "tools/base/alloc.h"
#include "tools/bench/interactive/thresholds.h"
#include "tools/present/view.h"

int64_t input_round_below(int64_t length, const struct figure_scale *scale, unsigned back)
{
    static const double steps[] = {1, 2, 5};
    const double value = (double)length * scale->per_tick * (1 - 1e-9);
    const double decade = floor(log10(value));
    const double first = value / pow(10, decade);
    const int step = (first > steps[2] ? 2 : first > steps[1] ? 1 : 0) - (int)back;
    const double down = floor((double)step / 3);

    return (int64_t)(steps[step - 3 * (int)down] * pow(10, decade + down) / scale->per_tick);
}

/* The third longest, so that what is longer has intervals and these a deviation; of fewer the
 * longest. */
static int64_t long_latency(const struct latency_events *events)
{
    int64_t top[3] = {INT64_MIN, INT64_MIN, INT64_MIN};

    for (size_t i = 0; i < events->count; i++) {
        int64_t latency = events->latencies[i];

        for (size_t place = 0; place < 3; place++) {
            const int64_t other = top[place];

            if (latency > other) {
                top[place] = latency;
                latency = other;
            }
        }
    }
    return events->count >= 3 ? top[2] : top[0];
}

static int64_t shortest_of(const struct latency_events *events)
{
    int64_t shortest = INT64_MAX;

    for (size_t i = 0; i < events->count; i++) {
        shortest = events->latencies[i] < shortest ? events->latencies[i] : shortest;
    }
    return shortest;
}

static void set_threshold(struct input_bench *input, const struct run *run)
{
    const struct figure_scale scale = figure_length_scale(run, (double)input->longest);
    const double ns_per_tick = run_ns_per_tick(run);
    const int64_t typical = long_latency(&input->events);

    input->threshold = typical > 0 ? input_round_below(typical, &scale, 0) : 0;
    if (input->threshold < shortest_of(&input->events)) {
        input->threshold = input_round_below(input->longest, &scale, 0);
    }
    if (strcmp(scale.unit, "instructions") != 0 && ns_per_tick > 0) {
        const int64_t perceptible = latency_threshold(THRESHOLD_DEFAULT_MS, ns_per_tick);

        input->perceptible = input->longest > perceptible;
        input->threshold = input->perceptible ? perceptible : input->threshold;
    }
}

/* NULL, or why there is nothing to be shown. */
static const char *read_input(struct input_bench *input, const struct run *run)
{
    const struct run_bench *bench = input->bench;

    if (bench->trace_count == 0) {
        return bench->reason != NULL ? bench->reason : "its trace is missing";
    }
    if (!interactive_read(&input->interactive, bench)) {
        return "its trace cannot be read";
    }
    if (input->interactive.arrived == 0) {
        return "its trace reports no input event";
    }
    latency_events_of(&input->events, &input->interactive);
    const struct latency_event *longest = latency_longest(&input->events);

    if (longest == NULL || longest->latency <= 0) {
        return "its trace reports no event's end";
    }
    input->longest = longest->latency;
    input->kinds = interactive_summaries(&input->interactive, &input->kind_count);
    set_threshold(input, run);
    return NULL;
}

/* Of that group the model alone has no input: what arrives there are timers. */
bool input_is_interactive(const struct run_bench *bench)
{
    return bench->group != NULL && strcmp(bench->group, GROUP_INTERACTIVE) == 0 &&
           strncmp(bench->name, BENCH_MODEL, sizeof(BENCH_MODEL) - 1) != 0; /* or model@PROCESSOR */
}

bool input_is_shown(const struct run *run, const struct run_bench *bench)
{
    return run_find_bench(run, bench->name) == bench &&
           (input_is_interactive(bench) || view_has_input(bench));
}

void input_benches_read(struct input_benches *benches, const struct run *run)
{
    *benches = (struct input_benches){0};
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        if (input_is_shown(run, bench)) {
            benches->item = alloc_append(benches->item, &benches->count, &benches->capacity,
                                         sizeof(*benches->item));
            struct input_bench *input = &benches->item[benches->count - 1];

            *input = (struct input_bench){.bench = bench};
            input->why = read_input(input, run);
        }
    }
}

void input_benches_free(struct input_benches *benches)
{
    for (size_t i = 0; i < benches->count; i++) {
        latency_events_free(&benches->item[i].events);
        free(benches->item[i].kinds);
        interactive_free(&benches->item[i].interactive);
    }
    free(benches->item);
}
