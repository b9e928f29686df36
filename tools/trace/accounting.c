/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/accounting.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "kernel/trace/trace.h"
#include "tools/base/alloc.h"
#include "tools/trace/accounting_events.h"

/* ---- charging ---- */

/* Calls a function of each observer that has it. */
#define TELL(accounting, function, ...)                                                 \
    for (size_t i = 0; i < (accounting)->machine->observer_count; i++) {                \
        const struct account_observer *observer = &(accounting)->machine->observers[i]; \
                                                                                        \
        if (observer->function != NULL) {                                               \
            observer->function(observer->context, __VA_ARGS__);                         \
        }                                                                               \
    }

static void charge_account(struct accounting *accounting, enum account_kind kind, uint32_t id,
                           uint64_t ticks)
{
    struct account_thread *thread = account_current(accounting);
    struct account_cpu *cpu = &accounting->cpus[accounting->on];

    cpu->ticks[kind] += ticks;
    if (kind == ACCOUNT_THREAD) {
        thread->running += ticks;
        thread->on[accounting->on].ticks += ticks;
        cpu->idle += thread->id == TRACE_IDLE_THREAD ? ticks : 0;
        return;
    }
    if (kind == ACCOUNT_FAULT) {
        thread->fault += ticks;
        return;
    }
    if (thread != NULL) {
        thread->interrupted += ticks;
    }
    if (kind == ACCOUNT_VECTOR || kind == ACCOUNT_DPC) {
        account_handler_of(accounting, kind, id)->ticks += ticks;
    } else if (kind == ACCOUNT_DISPATCH) {
        accounting->dispatch += ticks;
    } else if (kind == ACCOUNT_TRACER) {
        accounting->tracer += ticks;
    } else {
        accounting->unknown += ticks;
    }
}

/* Charges the next `ticks` to this account. */
static void charge(struct accounting *accounting, enum account_kind kind, uint32_t id,
                   uint64_t ticks)
{
    struct account_machine *machine = accounting->machine;
    const struct account_segment segment = {machine->now, machine->now + ticks, kind, id};

    if (ticks == 0) {
        return;
    }
    charge_account(accounting, kind, id, ticks);
    machine->now = segment.to;
    TELL(accounting, segment, accounting, &segment);
}

/* Charges the next `ticks` to what runs. */
static void charge_context(struct accounting *accounting, uint64_t ticks)
{
    struct account_machine *machine = accounting->machine;
    const struct account_thread *thread = account_current(accounting);

    if (machine->depth > 0) {
        struct account_frame *frame = &machine->frames[machine->depth - 1];

        frame->net += ticks;
        charge(accounting, frame->kind, frame->id, ticks);
    } else if (thread == NULL) {
        charge(accounting, ACCOUNT_UNKNOWN, 0, ticks);
    } else {
        charge(accounting, thread->in_fault ? ACCOUNT_FAULT : ACCOUNT_THREAD, thread->id, ticks);
    }
}

/* Counts the handler that has returned, if there is one. */
static void finish_handler(struct accounting *accounting)
{
    struct account_machine *machine = accounting->machine;
    const struct account_frame *frame = &machine->finished;

    if (!machine->has_finished) {
        return;
    }
    struct account_handler *handler = account_handler_of(accounting, frame->kind, frame->id);

    account_spread_add(&handler->net, frame->net);
    account_spread_add(&handler->gross, machine->finished_gross);
    machine->has_finished = false;
}

/* ---- spans ---- */

/* Takes up to `wanted` from what is left, and returns what was taken. */
static uint64_t take(uint64_t *left, uint64_t wanted)
{
    const uint64_t taken = wanted < *left ? wanted : *left;

    *left -= taken;
    return taken;
}

static uint64_t beyond(uint64_t whole, uint64_t part)
{
    return whole > part ? whole - part : 0;
}

/* Returns whether the kernel, after a handler has returned, is switching to a DPC or to another
 * thread. */
static bool is_dispatch(const struct account_machine *machine, const struct trace_event *next)
{
    return machine->handler_left && (next->id == TRACE_ID_dpc_entry ||
                                     (next->id == TRACE_ID_thread_switch &&
                                      (TRACE_WHY_REASON(next->field[2]) == WAIT_PREEMPTED ||
                                       TRACE_WHY_REASON(next->field[2]) == WAIT_QUANTUM)));
}

/* Charges the rest of a span, without the tracer's shares. `next` is the event that ends it, or
 * NULL at the end of what is known. */
static void charge_between(struct accounting *accounting, const struct trace_event *next,
                           uint64_t left)
{
    struct account_machine *machine = accounting->machine;
    const bool enters = next != NULL && next->id == TRACE_ID_isr_entry;

    machine->entry_lead = 0;
    if (next != NULL && is_dispatch(machine, next)) {
        finish_handler(accounting);
        charge(accounting, ACCOUNT_DISPATCH, 0, left);
        return;
    }
    const uint64_t trail = take(&left, beyond(machine->trail, machine->after_short));
    const uint64_t lead =
        enters ? take(&left, beyond(machine->costs.isr_lead, machine->costs.lead)) : 0;

    charge(accounting, machine->trail_kind, machine->trail_id, trail);
    if (machine->trail_kind == ACCOUNT_VECTOR) {
        machine->finished.net += trail;
    }
    finish_handler(accounting);
    charge_context(accounting, left);
    if (enters) {
        charge(accounting, ACCOUNT_VECTOR, (uint32_t)next->field[0], lead);
        machine->entry_lead = lead;
    }
}

/* Charges a span, without deductions, to what runs in it, as the account without records does
 * (account_check.h). */
static void stamp_context(struct accounting *accounting, uint64_t ticks)
{
    const struct account_machine *machine = accounting->machine;
    struct account_thread *thread = account_current(accounting);

    if (machine->depth > 0) {
        const struct account_frame *frame = &machine->frames[machine->depth - 1];

        struct account_handler *handler = account_handler_of(accounting, frame->kind, frame->id);

        handler->stamped += ticks;
        handler->on[accounting->on].stamped += ticks;
    } else if (thread != NULL) {
        thread->stamped += ticks;
        thread->on[accounting->on].stamped += ticks;
    }
}

/* Charges all time up to `to`, where event `next` is, or where what is known ends. */
static void close_span(struct accounting *accounting, const struct trace_event *next, uint64_t to)
{
    struct account_machine *machine = accounting->machine;
    uint64_t left = to - machine->now;

    stamp_context(accounting, left);
    const uint64_t after = take(&left, machine->after);
    const uint64_t before =
        next != NULL ? take(&left, (uint64_t)machine->costs.lead + next->tracer_ticks) : 0;

    charge(accounting, ACCOUNT_TRACER, 0, after);
    charge_between(accounting, next, left);
    charge(accounting, ACCOUNT_TRACER, 0, before);
    machine->after = 0;
    machine->trail = 0;
    machine->handler_left = false;
}

/* ---- events, gaps, parts ---- */

/* Does the record of this event update the account without records (kernel/trace/account.h)? */
static bool account_charges(uint32_t id)
{
    return id == TRACE_ID_thread_switch || id == TRACE_ID_isr_entry || id == TRACE_ID_isr_exit ||
           id == TRACE_ID_dpc_entry || id == TRACE_ID_dpc_exit;
}

/* Returns the cost of such an update in ticks, or 0 if the image did not report it. */
static uint64_t account_charging(const struct run_bench *bench)
{
    const int64_t ticks = run_fact_or(bench, FACT_CHARGING, 0);

    return ticks > 0 && ticks <= UINT32_MAX ? (uint64_t)ticks : 0;
}

static void forget_thread(struct account_thread *thread, uint64_t at)
{
    if (thread->alive) {
        account_thread_set(thread, STATE_UNKNOWN, at);
    }
    thread->in_fault = false;
    thread->woken = false;
    thread->preempted = false;
    thread->waits_for_lock = false;
    thread->placed = false;
}

/* Returns whether what is known about a thread comes from another processor only: it runs there, or
 * is that processor's idle thread. */
static bool is_elsewhere(const struct accounting *accounting, const struct account_thread *thread)
{
    return thread->home != accounting->on &&
           (thread->state == STATE_RUNNING || thread->id == TRACE_IDLE_THREAD);
}

/* Ends at `at` what is known of this processor, and of threads that others do not run. */
static void forget(struct accounting *accounting, uint64_t at)
{
    struct account_machine *machine = accounting->machine;
    struct account_thread *idle = accounting->cpus[accounting->on].idle_thread;

    finish_handler(accounting);
    machine->depth = 0;
    machine->whole = false;
    machine->handlers_known = false;
    accounting->current = ACCOUNT_NO_THREAD;
    for (size_t i = 0; i < accounting->thread_count; i++) {
        if (!is_elsewhere(accounting, accounting->threads[i])) {
            forget_thread(accounting->threads[i], at);
        }
    }
    if (idle != NULL) {
        forget_thread(idle, at);
    }
    for (size_t i = 0; i < ACCOUNT_IDS; i++) {
        if (accounting->dpcs[i] != NULL) {
            accounting->dpcs[i]->is_queued = false;
        }
    }
    for (size_t i = 0; i < accounting->lock_count; i++) {
        accounting->locks[i]->holder = TRACE_NO_HOLDER;
    }
    TELL(accounting, unknown, accounting);
}

/* If the event contradicts that its thread runs on another processor, ends what is known of that
 * one. */
static void stop_other(struct accounting *accounting, const struct trace_event *event)
{
    const size_t on = accounting->on;
    const uint64_t id = event->field[event->id == TRACE_ID_thread_switch ? 1 : 0];
    const struct account_thread *thread = accounting_thread(accounting, (uint32_t)id);

    if (event->id > TRACE_ID_thread_ready || thread == NULL || thread->state != STATE_RUNNING ||
        thread->home == on) {
        return;
    }
    account_select(accounting, thread->home);
    const uint64_t end = accounting->machine->end;
    const uint64_t at = event->tsc < end ? event->tsc : end;

    if (accounting->machine->now < at) {
        close_span(accounting, NULL, at);
    }
    forget(accounting, at);
    account_select(accounting, on);
}

static void take_event(struct accounting *accounting, const struct trace_event *event)
{
    struct account_machine *machine = accounting->machine;
    const uint64_t cost = event->extended ? machine->costs.extended : machine->costs.record;
    const uint64_t charging = account_charges(event->id) ? machine->charging : 0;

    close_span(accounting, event, event->tsc);
    const enum account_conflict conflict = account_check(accounting, event);

    if (conflict != CONFLICTS) {
        accounting->conflicts[conflict]++;
        stop_other(accounting, event);
        forget(accounting, machine->now);
    }
    TELL(accounting, event, accounting, event);
    accounting->events++;
    machine->after = beyond(cost + charging, machine->costs.lead);
    machine->after_short = beyond(machine->costs.record + charging, machine->costs.lead);
    if (machine->restated && event->tsc == machine->begin) {
        machine->after = 0;
        machine->after_short = 0;
    }
    account_apply(accounting, event);
}

static void take_gap(struct accounting *accounting, const struct trace_gap *gap)
{
    close_span(accounting, NULL, gap->from);
    forget(accounting, gap->from);
    accounting->blind = gap->to > accounting->blind ? gap->to : accounting->blind;
    charge(accounting, ACCOUNT_UNKNOWN, 0, gap->to - gap->from);
    accounting->gaps++;
    accounting->lost_packets += gap->packets;
    accounting->discarded += gap->discarded;
}

/* Returns the thread that runs when the part begins: that of the first thread_is with state
 * running, or of the first thread_switch, if no gap comes before. */
static uint32_t first_thread(const struct run_trace *trace)
{
    struct trace_reader *reader = trace_reader_open(trace, 1);
    uint32_t thread = ACCOUNT_NO_THREAD;
    struct trace_event event;
    struct trace_gap gap;

    while (thread == ACCOUNT_NO_THREAD && trace_reader_next(reader, &event, &gap) == TRACE_EVENT) {
        if (event.id == TRACE_ID_thread_switch ||
            (event.id == TRACE_ID_thread_is && event.field[3] == THREAD_RUNNING)) {
            thread = (uint32_t)event.field[0];
        }
    }
    trace_reader_close(reader);
    return thread;
}

static void begin_machine(struct accounting *accounting, const struct run_trace *trace)
{
    struct account_machine *machine = accounting->machine;
    const uint32_t thread = first_thread(trace);

    *machine = (struct account_machine){
        .observers = machine->observers,
        .observer_count = machine->observer_count,
        .costs = trace->costs,
        .charging = account_charging(accounting->bench),
        .begin = trace->begin,
        .end = trace->end,
        .restated = trace->restated,
        .now = trace->begin,
        .whole = true,
        .handlers_known = true,
    };
    if (machine->costs.lead > machine->costs.record) {
        machine->costs.lead = machine->costs.record; /* the measurement of the costs failed */
    }
    const struct account_thread *known = accounting_thread(accounting, thread);

    /* No thread can run on two processors; the conflict is found at the event that says so. */
    if (thread != ACCOUNT_NO_THREAD && (known == NULL || !known->alive)) {
        account_thread_born(accounting, thread, trace->begin, STATE_RUNNING);
        accounting->current = thread;
    }
}

/* Begins a part with traces of `count` processors. Returns the bounds of them all. */
static struct run_trace begin_part(struct accounting *accounting, const struct run_trace *traces,
                                   size_t count)
{
    const struct run_trace bounds = run_part_bounds(traces, count);

    accounting->part++;
    accounting->blind = 0;
    for (size_t i = count; i-- > 0;) {
        account_select(accounting, account_place(accounting, traces[i].cpu));
        begin_machine(accounting, &traces[i]);
    }
    TELL(accounting, part, accounting, &bounds);
    return bounds;
}

static void end_thread(struct account_thread *thread, uint64_t at)
{
    if (thread->alive) {
        account_thread_ended(thread, at);
    }
    thread->state = STATE_UNKNOWN;
}

static void end_part(struct accounting *accounting, const struct run_trace *traces, size_t count,
                     const struct run_trace *bounds)
{
    uint64_t end = 0;

    for (size_t i = 0; i < count; i++) {
        account_select(accounting, account_place(accounting, traces[i].cpu));
        if (accounting->machine->now < traces[i].end) {
            close_span(accounting, NULL, traces[i].end);
        }
        struct account_thread *thread = account_current(accounting);

        if (thread != NULL) { /* what it did later is unknown, even if others know more */
            account_thread_ended(thread, accounting->machine->now);
        }
        const uint64_t length =
            traces[i].end > traces[i].begin ? traces[i].end - traces[i].begin : 0;

        accounting->cpus[accounting->on].elapsed += length;
        accounting->total += length;
        end = accounting->machine->now > end ? accounting->machine->now : end;
    }
    for (size_t i = 0; i < count; i++) {
        account_select(accounting, account_place(accounting, traces[i].cpu));
        forget(accounting, end);
        if (accounting->cpus[accounting->on].idle_thread != NULL) {
            end_thread(accounting->cpus[accounting->on].idle_thread, end);
        }
    }
    for (size_t i = 0; i < accounting->thread_count; i++) {
        end_thread(accounting->threads[i], end);
    }
    accounting->elapsed += bounds->end > bounds->begin ? bounds->end - bounds->begin : 0;
}

static bool read_part(struct accounting *accounting, const struct run_trace *traces, size_t count)
{
    struct trace_reader *reader = trace_reader_open(traces, count);
    const struct run_trace bounds = begin_part(accounting, traces, count);
    enum trace_reader_status status;
    struct trace_event event;
    struct trace_gap gap;

    while ((status = trace_reader_next(reader, &event, &gap)) != TRACE_END &&
           status != TRACE_ERROR) {
        if (status == TRACE_EVENT) {
            account_select(accounting, account_place(accounting, event.cpu));
            take_event(accounting, &event);
        } else {
            account_select(accounting, account_place(accounting, gap.cpu));
            take_gap(accounting, &gap);
        }
    }
    end_part(accounting, traces, count, &bounds);
    trace_reader_close(reader);
    return status == TRACE_END;
}

/* Adds the times and counts, from member `life` up to `wake` and of each processor, of the idle
 * threads of the others to those of the first. */
static void join_idle(struct accounting *accounting)
{
    const size_t first = offsetof(struct account_thread, life) / sizeof(uint64_t);
    const size_t end = offsetof(struct account_thread, wake) / sizeof(uint64_t);

    account_select(accounting, 0);
    for (size_t i = 1; i < accounting->cpu_count; i++) {
        const struct account_thread *idle = accounting->cpus[i].idle_thread;

        if (idle != NULL) {
            struct account_thread *sum = account_thread_of(accounting, TRACE_IDLE_THREAD);

            for (size_t k = first; k < end; k++) {
                ((uint64_t *)sum)[k] += ((const uint64_t *)idle)[k];
            }
            sum->on[i] = idle->on[i];
        }
    }
}

bool accounting_read(struct accounting *accounting, const struct run_bench *bench,
                     const struct account_observer *observers, size_t observer_count)
{
    bool good = true;

    memset(accounting, 0, sizeof(*accounting));
    accounting->bench = bench;
    accounting->cpu_count = run_processors(bench);
    accounting->cpus = alloc_zeroed(accounting->cpu_count * sizeof(*accounting->cpus));
    for (size_t i = 0; i < accounting->cpu_count; i++) {
        struct account_cpu *cpu = &accounting->cpus[i];

        cpu->cpu = accounting->cpu_count > 1 || bench->trace_count == 0 ? (uint32_t)i
                                                                        : bench->traces[0].cpu;
        cpu->current = ACCOUNT_NO_THREAD;
        cpu->machine = alloc_zeroed(sizeof(*cpu->machine));
        cpu->machine->observers = observers;
        cpu->machine->observer_count = observer_count;
    }
    accounting->current = ACCOUNT_NO_THREAD;
    accounting->machine = accounting->cpus[0].machine;
    for (size_t i = 0, count; i < bench->trace_count && good; i += count) {
        count = run_part_processors(bench, i);
        good = read_part(accounting, &bench->traces[i], count);
    }
    join_idle(accounting);
    return good;
}

void accounting_free(struct accounting *accounting)
{
    for (size_t i = 0; i < accounting->thread_count; i++) {
        free(accounting->threads[i]);
    }
    for (size_t i = 0; i < accounting->lock_count; i++) {
        free(accounting->locks[i]);
    }
    for (size_t i = 0; i < ACCOUNT_IDS; i++) {
        free(accounting->vectors[i]);
        free(accounting->dpcs[i]);
    }
    free(accounting->threads);
    free(accounting->locks);
    free(accounting->thread_slots);
    free(accounting->lock_slots);
    for (size_t i = 0; i < accounting->cpu_count; i++) {
        free(accounting->cpus[i].idle_thread);
        free(accounting->cpus[i].machine);
    }
    free(accounting->cpus);
}
