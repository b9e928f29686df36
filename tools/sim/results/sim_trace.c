/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/results/sim_trace.h"

#include <math.h>
#include <stdlib.h>

#include "bench/interactive/names.h"
#include "kernel/run/names.h"
#include "kernel/trace/names.h"
#include "tools/base/alloc.h"
#include "tools/trace/trace_write.h"

#define FIRST_THREAD 2 /* first number after the threads that every trace has */
#define NO_THREAD    UINT16_MAX

enum vector {
    VECTOR_ARRIVAL,
    VECTOR_STATION,
};

/* A thread that serves quanta of one source on one processor, one after the other. */
struct slot {
    size_t source; /* index of a load, or after the loads of a stimulus */
    size_t processor;
    uint64_t entity; /* 0: free */
    size_t number;   /* number among those of its source on this processor, from 1 */
    size_t first;    /* level when it began */
    size_t level;
    bool ended; /* its quantum has ended, but it still has the processor */
};

struct on_processor {
    struct trace_builder trace;
    uint16_t current;
    uint8_t why; /* reason why the current thread leaves the processor */
    size_t handlers;
    uint8_t vector;
};

struct on_process {
    bool is_seated;   /* in line, or running */
    uint64_t awaited; /* entity that it waits for exclusively; 0: none */
};

/* A portion that is at a station. */
struct request {
    uint64_t entity;
    uint32_t serial;
};

struct on_station {
    struct request *item;
    size_t count, capacity;
    uint32_t issued;
};

struct sim_tracer {
    const struct sim_model *model;
    struct on_processor *processors;
    struct on_process *processes;
    struct on_station *stations;
    struct slot *slots;
    size_t slot_count, slot_capacity;
    uint64_t now;
};

/* ---- threads ---- */

static uint16_t slot_thread(const struct sim_tracer *tracer, size_t slot)
{
    return (uint16_t)(FIRST_THREAD + tracer->model->process_count + slot);
}

static uint16_t add_slot(struct sim_tracer *tracer, const struct sim_event *event, size_t source,
                         size_t number)
{
    const uint16_t thread = slot_thread(tracer, tracer->slot_count);

    *ALLOC_NEXT(tracer->slots, tracer->slot_count, tracer->slot_capacity) =
        (struct slot){.source = source,
                      .processor = event->processor,
                      .entity = event->entity,
                      .number = number,
                      .first = event->level,
                      .level = event->level};
    TRACE_ADD(&tracer->processors[event->processor].trace, tracer->now, thread_start, thread, 0,
              event->level + 1);
    return thread;
}

/* Returns the thread that serves the quantum: the first free one of its source, if none serves it
 * yet. */
static uint16_t quantum_thread(struct sim_tracer *tracer, const struct sim_event *event)
{
    const size_t source =
        event->load != SIM_NONE ? event->load : tracer->model->load_count + event->stimulus;
    size_t unused = SIM_NONE;
    size_t number = 0;

    for (size_t i = 0; i < tracer->slot_count; i++) {
        struct slot *const slot = &tracer->slots[i];

        if (slot->source != source || slot->processor != event->processor) {
            continue;
        }
        if (slot->entity == event->entity) {
            return slot_thread(tracer, i);
        }
        unused = unused == SIM_NONE && slot->entity == 0 ? i : unused;
        number++;
    }
    if (unused == SIM_NONE) {
        return add_slot(tracer, event, source, number + 1);
    }
    tracer->slots[unused].entity = event->entity;
    return slot_thread(tracer, unused);
}

/* Returns the thread of an event, or NO_THREAD if it has none, such as when the kernel ends a
 * portion. */
static uint16_t thread_of(struct sim_tracer *tracer, const struct sim_event *event)
{
    if (event->process != SIM_NONE) {
        return (uint16_t)(FIRST_THREAD + event->process);
    }
    return event->load != SIM_NONE || event->stimulus != SIM_NONE ? quantum_thread(tracer, event)
                                                                  : NO_THREAD;
}

static void switch_to(struct sim_tracer *tracer, size_t processor, uint16_t thread)
{
    struct on_processor *const here = &tracer->processors[processor];
    const size_t slot = (size_t)here->current - FIRST_THREAD - tracer->model->process_count;

    if (thread == NO_THREAD || thread == here->current) {
        return;
    }
    TRACE_ADD(&here->trace, tracer->now, thread_switch, here->current, thread,
              here->current == TRACE_IDLE_THREAD ? TRACE_WHY(WAIT_NONE, THREAD_READY) : here->why);
    if (slot < tracer->slot_count && tracer->slots[slot].ended) {
        tracer->slots[slot].ended = false;
        tracer->slots[slot].entity = 0;
    }
    here->current = thread;
    here->why = TRACE_WHY(WAIT_PREEMPTED, THREAD_READY);
}

/* ---- events ---- */

static void enter(struct sim_tracer *tracer, size_t processor, enum vector vector)
{
    struct on_processor *const here = &tracer->processors[processor];

    if (here->handlers++ == 0) {
        here->vector = vector;
        TRACE_ADD(&here->trace, tracer->now, isr_entry, vector);
    }
}

static void leave(struct sim_tracer *tracer, size_t processor)
{
    struct on_processor *const here = &tracer->processors[processor];

    if (here->handlers > 0 && --here->handlers == 0) {
        TRACE_ADD(&here->trace, tracer->now, isr_exit, here->vector);
    }
}

static void mark(struct sim_tracer *tracer, const struct sim_event *event, bool is_response)
{
    const size_t processor = event->processor < tracer->model->processors ? event->processor : 0;

    TRACE_ADD(&tracer->processors[processor].trace, tracer->now, mark,
              2 * event->stimulus + is_response, event->entity);
}

static void arrive(struct sim_tracer *tracer, const struct sim_event *event)
{
    if (tracer->model->overhead.interrupt > 0 && event->processor < tracer->model->processors) {
        enter(tracer, event->processor, VECTOR_ARRIVAL);
    }
    if (event->stimulus != SIM_NONE) {
        mark(tracer, event, false);
    }
}

/* Returns the thread that sent the stimulus here, or NO_THREAD if it is at its first stop or the
 * sender was not a process. */
static uint16_t sender_of(const struct sim_tracer *tracer, const struct sim_event *event)
{
    const struct sim_stop *const stops =
        event->stimulus != SIM_NONE ? tracer->model->stimuli[event->stimulus].stops : NULL;

    return stops != NULL && event->stop > 0 && stops[event->stop - 1].process != SIM_NONE
               ? (uint16_t)(FIRST_THREAD + stops[event->stop - 1].process)
               : NO_THREAD;
}

/* Prepares a stimulus without a process for its next portion. It continues as one thread, with the
 * level of each portion. */
static void prepare(struct sim_tracer *tracer, const struct sim_event *event, uint16_t thread)
{
    struct slot *const slot = &tracer->slots[thread - slot_thread(tracer, 0)];

    slot->ended = false;
    if (slot->level != event->level) {
        slot->level = event->level;
        TRACE_ADD(&tracer->processors[event->processor].trace, tracer->now, thread_priority, thread,
                  event->level + 1);
    }
}

static void get_in_line(struct sim_tracer *tracer, const struct sim_event *event)
{
    struct on_processor *const here = &tracer->processors[event->processor];
    const uint16_t thread = thread_of(tracer, event);
    const uint16_t sender = sender_of(tracer, event);

    if (event->process != SIM_NONE) {
        struct on_process *const process = &tracer->processes[event->process];

        if (process->is_seated || (process->awaited != 0 && process->awaited != event->entity)) {
            return;
        }
        *process = (struct on_process){.is_seated = true};
    } else {
        prepare(tracer, event, thread);
    }
    if (thread == here->current) {
        here->why = TRACE_WHY(WAIT_YIELD, THREAD_READY);
        return;
    }
    TRACE_ADD(&here->trace, tracer->now, thread_ready, thread,
              sender == here->current ? TRACE_BY(TRACE_BY_THREAD, sender)
                                      : TRACE_BY(TRACE_BY_VECTOR, VECTOR_ARRIVAL));
}

static void begin_portion(struct sim_tracer *tracer, const struct sim_event *event)
{
    switch_to(tracer, event->processor, thread_of(tracer, event));
    if (event->stimulus != SIM_NONE) {
        TRACE_ADD(&tracer->processors[event->processor].trace, tracer->now, message_receive,
                  sender_of(tracer, event), event->stimulus, event->entity);
    }
}

static void end_portion(struct sim_tracer *tracer, const struct sim_event *event)
{
    struct on_processor *const here = &tracer->processors[event->processor];

    if (event->process != SIM_NONE) {
        here->why = TRACE_WHY(WAIT_YIELD, THREAD_READY); /* unless it blocks */
        if (tracer->model->stimuli[event->stimulus].stops[event->stop].awaits) {
            tracer->processes[event->process].awaited = event->entity;
        }
        return;
    }
    const uint16_t thread = quantum_thread(tracer, event);

    tracer->slots[thread - slot_thread(tracer, 0)].ended = true;
    here->why = TRACE_WHY(WAIT_MESSAGE, THREAD_WAITING);
}

static void send(struct sim_tracer *tracer, const struct sim_event *event)
{
    const struct sim_stop *const next =
        &tracer->model->stimuli[event->stimulus].stops[event->stop + 1];

    if (event->processor >= tracer->model->processors) {
        return; /* sent from a station */
    }
    TRACE_ADD(&tracer->processors[event->processor].trace, tracer->now, message_send,
              next->process != SIM_NONE ? FIRST_THREAD + next->process : NO_THREAD, event->stimulus,
              event->entity);
}

static void block(struct sim_tracer *tracer, const struct sim_event *event)
{
    if (event->process != SIM_NONE) {
        struct on_process *const process = &tracer->processes[event->process];

        process->is_seated = false;
        tracer->processors[event->processor].why =
            TRACE_WHY(process->awaited != 0 ? WAIT_SPECIFIC : WAIT_MESSAGE, THREAD_WAITING);
    }
}

static void at_station(struct sim_tracer *tracer, const struct sim_event *event)
{
    const size_t number = event->processor - tracer->model->processors;
    struct on_station *const station = &tracer->stations[number];
    struct trace_builder *const trace = &tracer->processors[0].trace;

    if (event->kind == SIM_READY) {
        *ALLOC_NEXT(station->item, station->count, station->capacity) =
            (struct request){event->entity, station->issued};
        TRACE_ADD(trace, tracer->now, block_issue, number, station->issued++, 0, 0, station->count);
    }
    for (size_t i = 0; event->kind == SIM_END && i < station->count; i++) {
        if (station->item[i].entity == event->entity) {
            const uint32_t serial = station->item[i].serial;

            station->item[i] = station->item[--station->count];
            TRACE_ADD(trace, tracer->now, block_complete, number, serial, 0, station->count);
            return;
        }
    }
}

static void on_processor(struct sim_tracer *tracer, const struct sim_event *event)
{
    switch (event->kind) {
    case SIM_READY:
        get_in_line(tracer, event);
        break;
    case SIM_SWITCH:
    case SIM_RESUME:
        switch_to(tracer, event->processor, thread_of(tracer, event));
        break;
    case SIM_BEGIN:
        begin_portion(tracer, event);
        break;
    case SIM_PREEMPT:
        tracer->processors[event->processor].why = TRACE_WHY(WAIT_PREEMPTED, THREAD_READY);
        break;
    case SIM_END:
        end_portion(tracer, event);
        break;
    case SIM_BLOCK:
        block(tracer, event);
        break;
    case SIM_INTERRUPT:
        enter(tracer, event->processor, VECTOR_STATION);
        break;
    case SIM_INTERRUPT_END:
        leave(tracer, event->processor);
        break;
    case SIM_IDLE:
        switch_to(tracer, event->processor, TRACE_IDLE_THREAD);
        break;
    default:
        break;
    }
}

void sim_tracer_event(struct sim_tracer *tracer, const struct sim_event *event)
{
    tracer->now = (uint64_t)llround(event->time * tracer->model->unit_ns);
    if (event->kind == SIM_ARRIVAL) {
        arrive(tracer, event);
    } else if (event->kind == SIM_SEND) {
        send(tracer, event);
    } else if (event->kind == SIM_RESPONSE) {
        mark(tracer, event, true);
    } else if (event->processor < tracer->model->processors) {
        on_processor(tracer, event);
    } else {
        at_station(tracer, event);
    }
}

/* ---- the whole trace ---- */

static void begin_processor(struct sim_tracer *tracer, size_t processor)
{
    const struct sim_model *const model = tracer->model;
    struct trace_builder *const trace = &tracer->processors[processor].trace;

    trace_builder_init(trace, 0, TRACE_PACKET_BYTES);
    trace->cpu = (uint32_t)processor;
    TRACE_ADD(trace, 0, thread_is, TRACE_IDLE_THREAD, 0, 0, THREAD_RUNNING, WAIT_NONE);
    for (size_t i = 0; i < model->process_count; i++) {
        if (model->processes[i].processor == processor) {
            TRACE_ADD(trace, 0, thread_is, FIRST_THREAD + i, 0, model->processes[i].level + 1,
                      THREAD_WAITING, WAIT_MESSAGE);
        }
    }
}

struct sim_tracer *sim_tracer_begin(const struct sim_model *model)
{
    struct sim_tracer *const tracer = alloc_zeroed(sizeof(*tracer));

    *tracer = (struct sim_tracer){
        .model = model,
        .processors = alloc_zeroed(model->processors * sizeof(*tracer->processors)),
        .processes = alloc_zeroed((model->process_count + 1) * sizeof(*tracer->processes)),
        .stations = alloc_zeroed((model->station_count + 1) * sizeof(*tracer->stations)),
    };
    for (size_t i = 0; i < model->processors; i++) {
        begin_processor(tracer, i);
    }
    return tracer;
}

static void name_thread(struct run_bench *bench, size_t thread, const char *name, size_t level)
{
    trace_builder_name(bench, OBJECT_NAME_THREAD, (uint32_t)thread, name);
    bench->objects[bench->object_count - 1].has_priority = true;
    bench->objects[bench->object_count - 1].priority = (uint32_t)level + 1;
}

static void name_threads(const struct sim_tracer *tracer, size_t processor, struct run *run,
                         struct run_bench *bench)
{
    const struct sim_model *const model = tracer->model;

    for (size_t i = 0; i < model->process_count; i++) {
        const struct sim_process *const process = &model->processes[i];

        if (process->processor == processor) {
            name_thread(bench, FIRST_THREAD + i, run_text(run, process->name), process->level);
        }
    }
    for (size_t i = 0; i < tracer->slot_count; i++) {
        const struct slot *const slot = &tracer->slots[i];
        const char *const source = slot->source < model->load_count
                                       ? model->loads[slot->source].name
                                       : model->stimuli[slot->source - model->load_count].name;

        if (slot->processor == processor) {
            name_thread(bench, slot_thread(tracer, i),
                        run_format(run, "%s %zu", source, slot->number), slot->first);
        }
    }
}

static void name_others(const struct sim_model *model, struct run *run, struct run_bench *bench)
{
    for (uint32_t i = 0; i < model->stimulus_count; i++) {
        const char *const dot = i > 0 ? "." : "";
        const char *const whose = i > 0 ? model->stimuli[i].name : "";

        trace_builder_name(bench, OBJECT_NAME_MARK, 2 * i,
                           run_format(run, MARK_NAME_STIMULUS "%s%s", dot, whose));
        trace_builder_name(bench, OBJECT_NAME_MARK, 2 * i + 1,
                           run_format(run, MARK_NAME_RESPONSE "%s%s", dot, whose));
    }
    for (uint32_t i = 0; i < model->station_count; i++) {
        trace_builder_name(bench, OBJECT_NAME_DEVICE, i, run_text(run, model->stations[i].name));
    }
    trace_builder_name(bench, OBJECT_NAME_VECTOR, VECTOR_ARRIVAL, "arrival");
    trace_builder_name(bench, OBJECT_NAME_VECTOR, VECTOR_STATION, "station");
}

static struct run_bench *bench_of(const struct sim_tracer *tracer, struct run *run,
                                  size_t processor)
{
    if (processor == 0) {
        return run_find_bench(run, BENCH_MODEL);
    }
    struct run_bench *const bench = run_add_bench(
        run, run_format(run, BENCH_MODEL "@%.100s", tracer->model->processor[processor]));

    bench->group = GROUP_INTERACTIVE;
    bench->summary = "the trace of a further processor of the model";
    bench->unit = UNIT_TICK;
    bench->state = STATE_OK;
    return bench;
}

void sim_tracer_end(struct sim_tracer *tracer, struct run *run)
{
    for (size_t i = 0; i < tracer->model->processors; i++) {
        if (run != NULL) {
            struct run_bench *const bench = bench_of(tracer, run, i);

            name_threads(tracer, i, run, bench);
            name_others(tracer->model, run, bench);
            trace_builder_finish(&tracer->processors[i].trace, tracer->now, bench);
        }
        free(tracer->processors[i].trace.bytes);
    }
    for (size_t i = 0; i < tracer->model->station_count; i++) {
        free(tracer->stations[i].item);
    }
    free(tracer->processors);
    free(tracer->processes);
    free(tracer->stations);
    free(tracer->slots);
    free(tracer);
}
