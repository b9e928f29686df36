/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/input.h"

#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/interactive_reading.h"
#include "bench/interactive/host/measure/latency.h"
#include "bench/interactive/names.h"
#include "kernel/run/names.h"
#include "kernel/trace/names.h"
#include "tools/present/report_plugin.h"
#include "tools/trace/shared_walk.h"

struct state {
    struct input_reading input;
    struct think_wait think_wait; /* only in a walk that knows the run */
    struct interactive_reading reading;
    struct think_wait_reading *waits;
};

bool input_expected(const struct run_bench *bench)
{
    if (run_find_series(bench, SERIES_INTENDED) != NULL &&
        run_find_series(bench, SERIES_SENT) != NULL) {
        return true;
    }
    for (size_t i = 0; i < bench->object_count && bench->trace_count > 0; i++) {
        if (strcmp(bench->objects[i].kind, OBJECT_NAME_QUEUE) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_wanted(const struct run_bench *bench)
{
    return input_expected(bench) ||
           (bench->group != NULL && strcmp(bench->group, GROUP_INTERACTIVE) == 0);
}

static size_t seat(void *context, const struct run_bench *bench, const struct walk_wish *wish,
                   struct account_observer *observers)
{
    struct state *state = context;
    size_t count = interactive_seat(&state->reading, bench, &state->input.interactive, observers);

    state->input.marks.bench = bench;
    observers[count++] = call_marks_observer(&state->input.marks);
    if (wish->run != NULL) {
        state->waits = think_wait_seat(bench, &observers[count++]);
    }
    return count;
}

static void end(void *context, const struct walk *walk)
{
    struct state *state = context;
    struct input_reading *input = &state->input;

    input->good = walk->good;
    if (state->waits != NULL) {
        think_wait_end(state->waits, &state->think_wait, &state->reading, &walk->accounting,
                       latency_perceptible(run_ns_per_tick(walk->wish.run)));
    }
    interactive_end(&state->reading, &walk->accounting, walk->good);
    actions_of(&input->actions, &input->interactive, walk->accounting.bench, &walk->requests);
    for (size_t i = 0; i < walk->accounting.bench->series_count; i++) {
        const struct run_series *series = &walk->accounting.bench->series[i];

        samples_forget(series, 0, series->received);
    }
}

static void free_state(void *context)
{
    struct state *state = context;

    think_wait_free(&state->think_wait);
    actions_free(&state->input.actions);
    interactive_free(&state->input.interactive);
    free(state->input.marks.mark);
}

static const struct trace_reading input_trace = {.use = WALK_INPUT,
                                                 .wanted = is_wanted,
                                                 .size = sizeof(struct state),
                                                 .seat = seat,
                                                 .end = end,
                                                 .free = free_state};

PLUGIN_REGISTER(input) = {.trace = &input_trace};

static struct state *state_of(const struct run *run, const struct run_bench *bench)
{
    return walk_for(bench, WALK_INPUT, &(struct walk_wish){.run = run})->state[WALK_INPUT];
}

const struct input_reading *input_of(const struct run_bench *bench)
{
    return &state_of(NULL, bench)->input;
}

const struct input_reading *input_explained(const struct run_bench *bench)
{
    struct input_reading *input = &state_of(NULL, bench)->input;

    if (!input->tried) {
        input->tried = true;
        input->explained = input->good && interactive_explain(&input->interactive, bench);
    }
    return input;
}

const struct think_wait *input_think_wait(const struct run *run, const struct run_bench *bench)
{
    const struct state *state = state_of(run, bench);

    return state->input.good ? &state->think_wait : NULL;
}
