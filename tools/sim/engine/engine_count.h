/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports events to the observer of a simulation, and counts. */
#pragma once

#include "tools/sim/engine/engine_lists.h"

#include <math.h>

static inline void report_event(struct sim_engine *sim, enum sim_event_kind kind, uint32_t request,
                                double amount)
{
    const struct sim_request *record = &sim->pool[request];
    struct sim_event event = {
        .time = sim->now,
        .kind = kind,
        .processor = record->processor,
        .level = (size_t)record->level,
        .process = SIM_NONE,
        .load = SIM_NONE,
        .stimulus = SIM_NONE,
        .entity = record->number,
        .amount = amount,
    };

    if (request < sim->first_thread) {
        event.process = request;
    } else if (request < sim->process_count) {
        event.entity = 0; /* it winds up, and is not in the model */
    } else if (is_competing(sim, record)) {
        event.load = record->source;
    } else {
        event.stimulus = record->source - sim->load_count;
        event.stop = record->stop;
        event.process = stop_of(sim, record)->process;
        if (stop_of(sim, record)->station > 0) {
            event.processor = sim->model->processors + stop_of(sim, record)->station - 1;
            event.level = 0;
        }
    }
    sim->observer->event(sim->observer->context, &event);
}

TWICE void report(struct sim_engine *sim, enum sim_event_kind kind, uint32_t request, double amount,
                  const bool full)
{
    if (full && sim->observer->event != NULL) {
        report_event(sim, kind, request, amount);
    }
}

TWICE void report_idle(struct sim_engine *sim, const struct sim_processor_now *processor,
                       const bool full)
{
    if (full && sim->observer->event != NULL) {
        const struct sim_event event = {.time = sim->now,
                                        .kind = SIM_IDLE,
                                        .processor = processor->number,
                                        .level = SIM_NONE,
                                        .process = SIM_NONE,
                                        .load = SIM_NONE,
                                        .stimulus = SIM_NONE};

        sim->observer->event(sim->observer->context, &event);
    }
}

static inline struct sim_level_tally *level_tally(struct sim_engine *sim,
                                                  const struct sim_request *record)
{
    return &sim->tally.level[record->line];
}

/* Adds up the processor's time until now; what runs has so much less to do. */
TWICE void add_up(struct sim_engine *sim, struct sim_processor_now *processor, const bool full)
{
    const double time = sim->now - processor->since;

    processor->since = sim->now;
    if (full && processor->interrupted) {
        sim->tally.processor[processor->number].interrupts += time;
        return;
    }
    if (processor->running == SIM_NO_ENTITY) {
        processor->idle += time;
        return;
    }
    struct sim_request *const entity = &sim->pool[processor->running];
    const uint32_t served = served_by(sim, processor->running);
    const double paid = !full ? 0 : time < entity->debt ? time : entity->debt;

    level_tally(sim, entity)->work += time;
    if (full) {
        entity->debt -= paid;
    }
    if (!full || served != SIM_NO_ENTITY) {
        const double left = sim->pool[served].remaining - (time - paid);

        sim->pool[served].remaining = left > 0 ? left : 0;
    }
}

/* A request comes to where it is to be served. */
static inline void count_in(struct sim_engine *sim, struct sim_processor_now *processor, int level)
{
    if (level == 0) {
        if (processor->low++ == 0) {
            processor->low_since = sim->now;
        }
    } else if (processor->urgent++ == 0) {
        processor->urgent_since = sim->now;
        processor->urgent_begun = false;
        processor->is_strict = processor->low > 0;
        processor->is_counted = processor->is_strict;
        sim->tally.preemption.strict += processor->is_strict;
        sim->tally.preemption.wide += processor->is_strict;
    }
}

static inline double lock_out(const struct sim_engine *sim,
                              const struct sim_processor_now *processor)
{
    return sim->now - fmax(processor->urgent_since, processor->low_since);
}

static inline void count_out(struct sim_engine *sim, struct sim_processor_now *processor, int level)
{
    if (level == 0) {
        processor->low--;
    } else if (--processor->urgent == 0) {
        if (processor->is_strict) {
            sim->tally.preemption.length += sim->now - processor->urgent_since;
        }
        if (processor->low > 0) {
            sim->tally.preemption.lock_out += lock_out(sim, processor);
        }
    }
}

/* Urgent work begins: a busy period counts once as a preemption. */
static inline void count_urgent(struct sim_engine *sim, struct sim_processor_now *processor)
{
    if (processor->low > 0 && !processor->is_counted && processor->urgent_begun) {
        processor->is_counted = true;
        sim->tally.preemption.wide++;
    }
    processor->urgent_begun = true;
}
