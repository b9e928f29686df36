/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/bench/waiting/underway.h"

#include <stdlib.h>

#include "kernel/input/event.h"
#include "kernel/trace/trace.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"

void underway_part(struct underway *underway, const struct run_trace *trace)
{
    if (!underway->begun) {
        underway->begun = true;
        underway->begin = trace->begin;
    }
    arrival_part(&underway->finder, trace);
}

void underway_unknown(struct underway *underway)
{
    arrival_unknown(&underway->finder);
}

static void see_input(struct underway *underway, const struct trace_event *event)
{
    const uint64_t stamp = event->field[3];

    if (event->field[0] == 0 || stamp < underway->begin || stamp > event->tsc) {
        return;
    }
    underway->inputs = alloc_append(underway->inputs, &underway->count, &underway->capacity,
                                    sizeof(*underway->inputs));
    underway->inputs[underway->count - 1] = (struct underway_input){
        .from = arrival_of(&underway->finder, stamp),
        .to = event->tsc,
        .number = (uint32_t)event->field[0],
    };
}

/* The latest of that number; its first message. */
static void see_post(struct underway *underway, const struct trace_event *event)
{
    const size_t open = underway->count < UNDERWAY_OPEN ? underway->count : UNDERWAY_OPEN;

    for (size_t i = 1; i <= open && event->field[1] < INPUT_KINDS; i++) {
        struct underway_input *input = &underway->inputs[underway->count - i];

        if (input->number == event->field[2]) {
            input->to = input->posted ? input->to : event->tsc;
            input->posted = true;
            return;
        }
    }
}

void underway_event(struct underway *underway, const struct trace_event *event)
{
    arrival_event(&underway->finder, event);
    if (event->id == TRACE_ID_input) {
        see_input(underway, event);
    } else if (event->id == TRACE_ID_queue_post) {
        see_post(underway, event);
    }
}

static int by_time(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

void underway_end(struct underway *underway)
{
    const size_t count = underway->count;

    if (count == 0) {
        return;
    }
    underway->from = alloc_zeroed(count * sizeof(*underway->from));
    underway->to = alloc_zeroed(count * sizeof(*underway->to));
    for (size_t i = 0; i < count; i++) {
        underway->from[i] = underway->inputs[i].from;
        underway->to[i] = underway->inputs[i].to;
    }
    sort_stable(underway->from, count, sizeof(*underway->from), by_time);
    sort_stable(underway->to, count, sizeof(*underway->to), by_time);
}

bool underway_at(struct underway *underway, uint64_t tsc)
{
    while (underway->passed_from < underway->count &&
           underway->from[underway->passed_from] <= tsc) {
        underway->passed_from++;
    }
    while (underway->passed_to < underway->count && underway->to[underway->passed_to] <= tsc) {
        underway->passed_to++;
    }
    return underway->passed_from > underway->passed_to;
}

uint64_t underway_next(const struct underway *underway)
{
    const uint64_t from = underway->passed_from < underway->count
                              ? underway->from[underway->passed_from]
                              : UINT64_MAX;
    const uint64_t to =
        underway->passed_to < underway->count ? underway->to[underway->passed_to] : UINT64_MAX;

    return from < to ? from : to;
}

void underway_free(struct underway *underway)
{
    free(underway->inputs);
    free(underway->from);
    free(underway->to);
}
