/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model whose work all waits in one line of one processor. It is served in the order of its
 * arrival, so that no event list is required: a service begins when its quantum arrives or when the
 * service before it ends, whichever is later (Lindley, "The theory of queues with a single server",
 * 1952).
 *
 * Services follow a block of arrivals up to its last one, so that nothing after the run's end is
 * counted. Sums are added up in the order of events: results are engine_run.c's to the last bit.
 */
#include "tools/sim/engine/engine_state.h"

#define BLOCK 64 /* largest number of arrivals drawn ahead; they count towards SIM_QUEUE_MAX */

/* Intervals must be from a continuous law. Then no other work arrives or ends in the instant of an
 * arrival, where the order would matter at the end of the run. */
bool sim_line_suits(const struct sim_model *model)
{
    for (size_t i = 0; i < model->load_count; i++) {
        const struct sim_arrivals *const arrivals = &model->loads[i].arrivals;

        if (model->loads[i].level != model->loads[0].level || arrivals->kind != SIM_RENEWAL ||
            arrivals->interval.kind == SIM_EMPIRICAL ||
            !(arrivals->interval.mean < arrivals->interval.high)) {
            return false;
        }
    }
    return model->processors == 1 && model->load_count > 0 && model->stimulus_count == 0;
}

/* Puts up to BLOCK arrivals in line, none after `until`. Returns the time up to which all are. */
static double draw_arrivals(struct sim_engine *sim, double until)
{
    double drawn = until;

    for (size_t i = 0; i < BLOCK; i++) {
        struct sim_source *source = &sim->source[0];

        for (uint32_t k = 1; k < sim->load_count; k++) {
            source = sim->source[k].due < source->due ? &sim->source[k] : source;
        }
        if (source->due > until) {
            return until;
        }
        const uint32_t request = new_request(sim);
        struct sim_request *const record = &sim->pool[request];

        drawn = source->due;
        source->due = drawn + sim_law_draw(&source->arrivals->interval, &source->intervals);
        *record = (struct sim_request){.line = source->line,
                                       .asked = drawn,
                                       .work = sim_law_draw(source->service, &source->services)};
        append(sim, &sim->lines[source->line], request);
        sim->tally.events++;
        level_tally(sim, record)->competing++;
        if (++sim->tally.quanta == sim->quanta || sim->ended) {
            sim->ended = true;
            return drawn;
        }
    }
    return drawn;
}

/* Begins and ends services until the given time, up to which all arrivals are in line. */
static void serve(struct sim_engine *sim, double until)
{
    struct sim_processor_now *const processor = &sim->processor[0];
    /* After the arrival that ends the run, no end of a service counts, not even in that instant. */
    const double last = sim->ended ? nextafter(until, 0) : until;
    const uint32_t at = sim->source[0].line;
    struct sim_queue *const line = &sim->lines[at];
    struct sim_level_tally *const level = &sim->tally.level[at];
    uint32_t served = processor->running;
    double end = sim->line_end;
    double since = processor->since; /* working or idle time is added up to here */
    double idle = processor->idle;
    double work = level->work;

    while (served == SIM_NO_ENTITY || end <= last) {
        if (served != SIM_NO_ENTITY) {
            work += end - since;
            since = end;
            sim->tally.events++;
            sim_distribution_add(&level->stay, end - sim->pool[served].asked);
            free_request(sim, served);
            served = SIM_NO_ENTITY;
        }
        if (line->head == SIM_NO_ENTITY) {
            break;
        }
        served = take_first(sim, line);
        const double asked = sim->pool[served].asked;
        const double start = asked > since ? asked : since;

        idle += start - since;
        since = start;
        end = start + sim->pool[served].work;
        sim_distribution_add(&level->wait, start - asked);
        if (sim->observer->wait != NULL) {
            sim->observer->wait(sim->observer->context, at, start, start - asked);
        }
    }
    processor->running = served;
    processor->since = since;
    processor->idle = idle;
    level->work = work;
    sim->line_end = end;
}

void sim_line_run(struct sim_engine *sim, double until)
{
    double drawn = 0;

    while (!sim->ended && drawn < until) {
        drawn = draw_arrivals(sim, until);
        serve(sim, drawn);
        sim->now = drawn;
    }
}
