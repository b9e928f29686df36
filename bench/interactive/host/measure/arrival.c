/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/arrival.h"

#include "kernel/trace/trace.h"

/* Number i from the latest on, from 1. */
static size_t place_of(const struct arrival_finder *finder, size_t i)
{
    return (finder->count - i) % ARRIVAL_HANDLERS;
}

static size_t kept(const struct arrival_finder *finder)
{
    return finder->count < ARRIVAL_HANDLERS ? finder->count : ARRIVAL_HANDLERS;
}

/* What took time before its stamp: the way to it, and the tracer where it had to open a packet. */
static void see_entry(struct arrival_finder *finder, const struct trace_event *event)
{
    finder->handlers[finder->count++ % ARRIVAL_HANDLERS] = (struct arrival_handler){
        .entry = event->tsc,
        .lead = (uint64_t)finder->isr_lead + event->tracer_ticks,
        .vector = (uint32_t)event->field[0],
        .open = true,
    };
}

static void see_exit(struct arrival_finder *finder, const struct trace_event *event)
{
    for (size_t i = 1; i <= kept(finder); i++) {
        struct arrival_handler *run = &finder->handlers[place_of(finder, i)];

        if (run->open && run->vector == event->field[0]) {
            run->open = false;
            run->exit = event->tsc;
            return;
        }
    }
}

void arrival_part(struct arrival_finder *finder, const struct run_trace *trace)
{
    finder->isr_lead = trace->costs.isr_lead;
}

void arrival_unknown(struct arrival_finder *finder)
{
    finder->count = 0;
}

void arrival_event(struct arrival_finder *finder, const struct trace_event *event)
{
    if (event->id == TRACE_ID_isr_entry) {
        see_entry(finder, event);
    } else if (event->id == TRACE_ID_isr_exit) {
        see_exit(finder, event);
    }
}

uint64_t arrival_of(const struct arrival_finder *finder, uint64_t stamp)
{
    for (size_t i = 1; i <= kept(finder); i++) {
        const struct arrival_handler *run = &finder->handlers[place_of(finder, i)];

        if (run->entry <= stamp && (run->open || stamp < run->exit)) {
            return run->entry - (run->lead < run->entry ? run->lead : run->entry);
        }
    }
    return stamp;
}
