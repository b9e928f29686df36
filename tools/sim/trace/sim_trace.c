/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/trace/sim_trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/run/names.h"
#include "kernel/trace/names.h"
#include "kernel/trace/packet.h"
#include "kernel/trace/trace.h"
#include "tools/base/alloc.h"
#include "tools/sim/engine/sim_threads.h"
#include "tools/trace/trace_builder.h"

#define NAME_MAX_BYTES 120
#define TAG_LOAD       0x8000u

#define NO_BLOCK UINT32_MAX

enum recorder_mark {
    MARK_STIMULUS,
    MARK_RESPONSE,
};

struct recorder_processor {
    struct trace_builder builder;
    uint16_t current;  /* thread */
    uint8_t why;       /* it will have left the processor at the next switch */
    uint32_t block;    /* then it waits for messages of this tag; NO_BLOCK: for none */
    bool interrupted;  /* the last that became ready was by an interrupt */
    uint64_t *pending; /* when arrivals were due whose entities are not ready yet: the first is
                          being handled */
    size_t pending_count, pending_capacity;
};

/* A quantum, or a pass of a stimulus. */
struct recorder_request {
    uint64_t entity;
    uint32_t number; /* of its load or stimulus, from 0 */
    uint16_t tag;
    uint16_t from; /* thread that sent it on */
};

struct sim_recorder {
    const struct sim_model *model;
    struct sim_threads threads;
    struct recorder_processor *processors;
    struct recorder_request *requests;
    size_t request_count, request_capacity;
    uint32_t *arrived; /* of each load, then of each stimulus */
    uint64_t *awaited; /* by each process: the entity that it waits for alone; 0: none */
    uint64_t now;      /* ns */
    bool too_many_threads, too_long;
};

/* A record on the event's processor, now. */
#define RECORD(recorder, on, name, ...) \
    TRACE_ADD(&(recorder)->processors[on].builder, (recorder)->now, name, __VA_ARGS__)

static uint64_t stamp_of(const struct sim_recorder *recorder, double time)
{
    return SIM_TRACE_ORIGIN + (uint64_t)llround(time * recorder->model->unit_ns);
}

static void tell_thread(struct sim_recorder *recorder, uint16_t number)
{
    struct sim_thread *thread = &recorder->threads.item[number];

    RECORD(recorder, thread->processor, thread_is, number, 0, thread->level + 1, THREAD_WAITING,
           WAIT_MESSAGE);
    thread->told = true;
}

struct sim_recorder *sim_recorder_create(const struct sim_model *model)
{
    struct sim_recorder *recorder = alloc_zeroed(sizeof(*recorder));

    recorder->model = model;
    recorder->now = SIM_TRACE_ORIGIN;
    recorder->processors = alloc_zeroed(model->processors * sizeof(*recorder->processors));
    recorder->arrived =
        alloc_zeroed((model->load_count + model->stimulus_count + 1) * sizeof(*recorder->arrived));
    recorder->awaited = alloc_zeroed((model->process_count + 1) * sizeof(*recorder->awaited));
    sim_threads_init(&recorder->threads, model);
    for (size_t i = 0; i < model->processors; i++) {
        struct recorder_processor *processor = &recorder->processors[i];

        trace_builder_init(&processor->builder, SIM_TRACE_ORIGIN, TRACE_PACKET_BYTES);
        processor->builder.cpu = (uint32_t)i;
        processor->current = SIM_THREAD_IDLE;
        processor->why = TRACE_WHY(WAIT_PREEMPTED, THREAD_READY);
        processor->block = NO_BLOCK;
        RECORD(recorder, i, thread_is, SIM_THREAD_IDLE, 0, 0, THREAD_RUNNING, WAIT_NONE);
    }
    for (size_t i = 0; i < model->process_count; i++) {
        tell_thread(recorder, sim_threads_of_process(i));
    }
    return recorder;
}

void sim_recorder_destroy(struct sim_recorder *recorder)
{
    for (size_t i = 0; i < recorder->model->processors; i++) {
        free(recorder->processors[i].builder.bytes);
        free(recorder->processors[i].pending);
    }
    sim_threads_free(&recorder->threads);
    free(recorder->processors);
    free(recorder->requests);
    free(recorder->arrived);
    free(recorder->awaited);
    free(recorder);
}

/* ---- requests ---- */

static struct recorder_request *request_of(struct sim_recorder *recorder, uint64_t entity)
{
    for (size_t i = 0; i < recorder->request_count; i++) {
        if (recorder->requests[i].entity == entity) {
            return &recorder->requests[i];
        }
    }
    recorder->requests = alloc_append(recorder->requests, &recorder->request_count,
                                      &recorder->request_capacity, sizeof(*recorder->requests));
    struct recorder_request *request = &recorder->requests[recorder->request_count - 1];

    request->entity = entity;
    return request;
}

static struct recorder_request *add_request(struct sim_recorder *recorder,
                                            const struct sim_event *event)
{
    struct recorder_request *request = request_of(recorder, event->entity);
    const bool competes = event->stimulus == SIM_NONE;
    const size_t source = competes ? event->load : recorder->model->load_count + event->stimulus;

    request->number = recorder->arrived[source]++;
    request->from = TRACE_NOBODY;
    request->tag = (uint16_t)(competes ? TAG_LOAD | event->load
                                       : event->stimulus << 12 | (request->number & 0xfff));
    return request;
}

static void drop_request(struct sim_recorder *recorder, uint64_t entity)
{
    struct recorder_request *request = request_of(recorder, entity);

    *request = recorder->requests[--recorder->request_count];
}

static uint32_t value_of(const struct recorder_request *request, const struct sim_event *event)
{
    return event->stimulus == SIM_NONE ? request->number
                                       : (uint32_t)event->stop << 24 | (request->number & 0xffffff);
}

/* ---- events ---- */

static uint16_t thread_of(struct sim_recorder *recorder, const struct sim_event *event)
{
    const uint16_t thread =
        sim_threads_take(&recorder->threads, event, recorder->processors[event->processor].current,
                         SIM_TRACE_THREADS_MAX);

    recorder->too_many_threads |= thread == SIM_THREAD_NONE;
    return thread;
}

/* Of the arrival that pends first. */
static void enter_handler(struct sim_recorder *recorder, size_t on)
{
    RECORD(recorder, on, isr_entry, SIM_VECTOR_ARRIVAL);
    RECORD(recorder, on, timer_expire, recorder->processors[on].pending[0]);
}

static void leave_handler(struct sim_recorder *recorder, size_t on)
{
    struct recorder_processor *processor = &recorder->processors[on];

    RECORD(recorder, on, isr_exit, SIM_VECTOR_ARRIVAL);
    processor->pending_count--;
    if (processor->pending_count > 0) {
        memmove(processor->pending, processor->pending + 1,
                processor->pending_count * sizeof(*processor->pending));
        enter_handler(recorder, on);
    }
}

static void record_arrival(struct sim_recorder *recorder, const struct sim_event *event)
{
    struct recorder_processor *processor = &recorder->processors[event->processor];

    add_request(recorder, event);
    processor->pending = alloc_grow(processor->pending, &processor->pending_capacity,
                                    processor->pending_count + 1, sizeof(*processor->pending));
    processor->pending[processor->pending_count++] = recorder->now;
    if (processor->pending_count == 1) {
        enter_handler(recorder, event->processor);
    }
}

/* Makes a thread ready that waits. One that was about to wait stays ready instead. */
static void wake(struct sim_recorder *recorder, uint16_t number, uint16_t by)
{
    struct sim_thread *thread = &recorder->threads.item[number];
    struct recorder_processor *processor = &recorder->processors[thread->processor];

    if (thread->awake) {
        return;
    }
    thread->awake = true;
    if (processor->current == number) {
        processor->why = TRACE_WHY(WAIT_YIELD, THREAD_READY);
        processor->block = NO_BLOCK;
        return;
    }
    if (!thread->told) {
        RECORD(recorder, thread->processor, thread_start, number, 0, thread->level + 1);
        thread->told = true;
    }
    RECORD(recorder, thread->processor, thread_ready, number, by);
}

/* Does its process sleep on, since it waits for another one alone? */
static bool is_kept_waiting(struct sim_recorder *recorder, const struct sim_event *event)
{
    uint64_t *awaited = event->process != SIM_NONE ? &recorder->awaited[event->process] : NULL;

    if (awaited == NULL || *awaited == 0) {
        return false;
    }
    if (*awaited == event->entity) {
        *awaited = 0;
        return false;
    }
    return true;
}

static void wake_entity(struct sim_recorder *recorder, const struct sim_event *event, uint16_t by)
{
    const uint16_t thread = thread_of(recorder, event);

    if (thread != SIM_THREAD_NONE && !is_kept_waiting(recorder, event)) {
        wake(recorder, thread, by);
    }
}

/* In the handler of its arrival. */
static void send_from_outside(struct sim_recorder *recorder, const struct sim_event *event)
{
    const struct recorder_request *request = request_of(recorder, event->entity);

    if (event->stimulus != SIM_NONE) {
        RECORD(recorder, event->processor, mark, MARK_STIMULUS, request->tag);
    }
    RECORD(recorder, event->processor, message_send, thread_of(recorder, event), request->tag,
           value_of(request, event));
}

static void record_ready(struct sim_recorder *recorder, const struct sim_event *event)
{
    struct recorder_processor *processor = &recorder->processors[event->processor];

    if (event->stimulus == SIM_NONE || event->stop == 0) {
        send_from_outside(recorder, event);
        wake_entity(recorder, event, TRACE_BY(TRACE_BY_VECTOR, SIM_VECTOR_ARRIVAL));
        leave_handler(recorder, event->processor);
        processor->interrupted = true;
        return;
    }
    const struct sim_stop *before =
        &recorder->model->stimuli[event->stimulus].stops[event->stop - 1];

    processor->interrupted = before->processor != event->processor;
    if (!processor->interrupted) {
        wake_entity(recorder, event, TRACE_BY(TRACE_BY_THREAD, processor->current));
        return;
    }
    RECORD(recorder, event->processor, isr_entry, SIM_VECTOR_TRANSMISSION);
    wake_entity(recorder, event, TRACE_BY(TRACE_BY_VECTOR, SIM_VECTOR_TRANSMISSION));
    RECORD(recorder, event->processor, isr_exit, SIM_VECTOR_TRANSMISSION);
}

static void switch_to(struct sim_recorder *recorder, size_t on, uint16_t thread)
{
    struct recorder_processor *processor = &recorder->processors[on];

    if (processor->current == thread) {
        return;
    }
    if (processor->block != NO_BLOCK) {
        RECORD(recorder, on, message_block, processor->block);
    }
    RECORD(recorder, on, thread_switch, processor->current, thread, processor->why);
    processor->current = thread;
    processor->why = TRACE_WHY(WAIT_PREEMPTED, THREAD_READY);
    processor->block = NO_BLOCK;
}

static void record_service(struct sim_recorder *recorder, const struct sim_event *event)
{
    const uint16_t thread = thread_of(recorder, event);

    if (thread == SIM_THREAD_NONE) {
        return;
    }
    switch_to(recorder, event->processor, thread);
    if (event->kind == SIM_BEGIN) {
        const struct recorder_request *request = request_of(recorder, event->entity);

        RECORD(recorder, event->processor, message_receive, request->from, request->tag,
               value_of(request, event));
    }
}

static void record_preemption(struct sim_recorder *recorder, size_t on)
{
    struct recorder_processor *processor = &recorder->processors[on];

    processor->why =
        TRACE_WHY(processor->interrupted ? WAIT_PREEMPTED : WAIT_OVERTAKEN, THREAD_READY);
}

/* From the next switch on. */
static void wait_for_message(struct sim_recorder *recorder, uint16_t number,
                             enum wait_reason reason, uint16_t tag)
{
    struct sim_thread *thread = &recorder->threads.item[number];
    struct recorder_processor *processor = &recorder->processors[thread->processor];

    thread->awake = false;
    processor->why = TRACE_WHY(reason, THREAD_WAITING);
    processor->block = tag;
}

/* A process stays ready until it blocks: what it sent may have made a more urgent one ready, or its
 * turn is over. */
static void end_of_process(struct sim_recorder *recorder, const struct sim_event *event)
{
    const struct sim_model *model = recorder->model;
    const bool overtaken = model->discipline == SIM_EXHAUSTIVE;

    recorder->processors[event->processor].why =
        TRACE_WHY(overtaken ? WAIT_OVERTAKEN : WAIT_YIELD, THREAD_READY);
    if (model->stimuli[event->stimulus].stops[event->stop].awaits) {
        recorder->awaited[event->process] = event->entity;
    }
}

static void record_end(struct sim_recorder *recorder, const struct sim_event *event)
{
    if (event->process != SIM_NONE) {
        end_of_process(recorder, event);
        return;
    }
    const uint16_t thread = thread_of(recorder, event);

    if (thread != SIM_THREAD_NONE) {
        wait_for_message(recorder, thread, WAIT_MESSAGE, TRACE_TAG_ANY);
        sim_threads_release(&recorder->threads, thread);
    }
    if (event->stimulus == SIM_NONE) {
        drop_request(recorder, event->entity);
    }
}

/* `event` has the stop that ended. */
static void record_send(struct sim_recorder *recorder, const struct sim_event *event)
{
    const struct sim_stop *next = &recorder->model->stimuli[event->stimulus].stops[event->stop + 1];
    struct sim_event arrival = *event;

    arrival.process = next->process;
    arrival.processor = next->processor;
    arrival.level = next->level;
    arrival.stop = event->stop + 1;
    const uint16_t to = thread_of(recorder, &arrival);
    struct recorder_request *request = request_of(recorder, event->entity);

    request->from = recorder->processors[event->processor].current;
    RECORD(recorder, event->processor, message_send, to, request->tag, value_of(request, &arrival));
}

/* One that had been overtaken runs for no time, to find that there is nothing left. */
static void record_block(struct sim_recorder *recorder, const struct sim_event *event)
{
    const uint16_t thread = sim_threads_of_process(event->process);
    const uint64_t awaited = recorder->awaited[event->process];

    switch_to(recorder, event->processor, thread);
    if (awaited != 0) {
        wait_for_message(recorder, thread, WAIT_SPECIFIC, request_of(recorder, awaited)->tag);
    } else {
        wait_for_message(recorder, thread, WAIT_MESSAGE, TRACE_TAG_ANY);
    }
}

static void record_response(struct sim_recorder *recorder, const struct sim_event *event)
{
    RECORD(recorder, event->processor, mark, MARK_RESPONSE,
           request_of(recorder, event->entity)->tag);
    drop_request(recorder, event->entity);
}

static bool is_full(const struct sim_recorder *recorder)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < recorder->model->processors; i++) {
        bytes += recorder->processors[i].builder.length;
    }
    return bytes > SIM_TRACE_BYTES_MAX;
}

void sim_recorder_event(void *context, const struct sim_event *event)
{
    struct sim_recorder *recorder = context;

    recorder->too_long |= is_full(recorder);
    if (recorder->too_long || recorder->too_many_threads) {
        return;
    }
    recorder->now = stamp_of(recorder, event->time);
    switch (event->kind) {
    case SIM_ARRIVAL:
        record_arrival(recorder, event);
        break;
    case SIM_READY:
        record_ready(recorder, event);
        break;
    case SIM_SWITCH:
    case SIM_BEGIN:
    case SIM_RESUME:
        record_service(recorder, event);
        break;
    case SIM_PREEMPT:
        record_preemption(recorder, event->processor);
        break;
    case SIM_END:
        record_end(recorder, event);
        break;
    case SIM_SEND:
        record_send(recorder, event);
        break;
    case SIM_BLOCK:
        record_block(recorder, event);
        break;
    case SIM_RESPONSE:
        record_response(recorder, event);
        break;
    case SIM_IDLE:
        switch_to(recorder, event->processor, SIM_THREAD_IDLE);
        break;
    case SIM_INTERRUPT_END: /* SIM_READY follows */
        break;
    }
}

/* ---- the run ---- */

static struct run_bench *bench_of(struct run *run, const struct sim_model *model, size_t processor)
{
    const char *const place = model->processor[processor];
    char name[NAME_MAX_BYTES] = SIM_TRACE_BENCH;

    if (processor > 0) {
        snprintf(name, sizeof(name), SIM_TRACE_BENCH "@%.100s", place);
    }
    struct run_bench *bench = run_find_bench(run, name);

    if (bench == NULL) {
        bench = run_add_bench(run, run_text(run, name));
        bench->summary = "events of the simulation of a model";
        bench->unit = UNIT_TICK;
        bench->state = STATE_OK;
    }
    return bench;
}

/* Numbers of vectors, threads and marks speak of names in each bench. */
static void name_objects(struct sim_recorder *recorder, struct run *run, struct run_bench *bench)
{
    trace_builder_name(bench, OBJECT_NAME_VECTOR, SIM_VECTOR_ARRIVAL, "arrival");
    trace_builder_name(bench, OBJECT_NAME_VECTOR, SIM_VECTOR_TRANSMISSION, "transmission");
    for (size_t i = 0; i < recorder->threads.count; i++) {
        const struct sim_thread *thread = &recorder->threads.item[i];
        const bool is_entity = i >= SIM_THREADS_FIRST;

        *run_add_object(bench) = (struct run_object){
            .kind = OBJECT_NAME_THREAD,
            .id = (uint32_t)i,
            .name = run_text(run, thread->name),
            .has_process = true,
            .has_priority = true,
            .priority = is_entity ? (uint32_t)thread->level + 1 : 0,
        };
    }
    trace_builder_name(bench, OBJECT_NAME_MARK, MARK_STIMULUS, MARK_NAME_STIMULUS);
    trace_builder_name(bench, OBJECT_NAME_MARK, MARK_RESPONSE, MARK_NAME_RESPONSE);
}

bool sim_recorder_finish(struct sim_recorder *recorder, double time, struct run *run,
                         char error[SIM_LAW_ERROR_MAX])
{
    const uint64_t end = stamp_of(recorder, time);

    if (recorder->too_many_threads) {
        snprintf(error, SIM_LAW_ERROR_MAX,
                 "more than %d quanta are there at once: a trace has no names for so many",
                 SIM_TRACE_THREADS_MAX - SIM_THREADS_FIRST);
        return false;
    }
    if (recorder->too_long) {
        snprintf(error, SIM_LAW_ERROR_MAX,
                 "the trace is longer than %" PRIu64 " MiB: ask for fewer passes",
                 SIM_TRACE_BYTES_MAX >> 20);
        return false;
    }
    for (size_t i = 0; i < recorder->model->processors; i++) {
        struct run_bench *bench = bench_of(run, recorder->model, i);

        name_objects(recorder, run, bench);
        trace_builder_finish(&recorder->processors[i].builder,
                             end > recorder->now ? end : recorder->now, bench);
    }
    return true;
}

bool sim_trace_record(const struct sim_model *model, const struct sim_limits *limits,
                      struct run *run, char error[SIM_LAW_ERROR_MAX])
{
    struct sim_recorder *recorder = sim_recorder_create(model);
    const struct sim_observer observer = {.event = sim_recorder_event, .context = recorder};
    struct sim_tally tally;

    sim_tally_init(&tally, model, NULL, 0, NULL, 0, false);
    const bool done = sim_simulate(model, limits, &observer, &tally, error) &&
                      sim_recorder_finish(recorder, limits->warm_up + tally.time, run, error);

    sim_tally_free(&tally);
    sim_recorder_destroy(recorder);
    return done;
}
