/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/accounting.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "kernel/task/names.h"
#include "kernel/trace/names.h"
#include "kernel/trace/trace.h"
#include "tools/base/alloc.h"
#include "tools/trace/accounting_events.h"

/* ---- charging ---- */

static struct account_thread *current_thread(const struct accounting *accounting)
{
    return accounting->current == ACCOUNT_NO_THREAD
               ? NULL
               : accounting->threads[accounting->thread_slots[accounting->current] - 1];
}

static void charge_account(struct accounting *accounting, enum account_kind kind, uint32_t id,
                           uint64_t ticks)
{
    struct account_thread *thread = current_thread(accounting);

    if (kind == ACCOUNT_THREAD) {
        thread->running += ticks;
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
    for (size_t i = 0; i < machine->observer_count; i++) {
        const struct account_observer *observer = &machine->observers[i];

        if (observer->segment != NULL) {
            observer->segment(observer->context, accounting, &segment);
        }
    }
}

/* Charges the next `ticks` to what runs. */
static void charge_context(struct accounting *accounting, uint64_t ticks)
{
    struct account_machine *machine = accounting->machine;
    const struct account_thread *thread = current_thread(accounting);

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
    return machine->handler_left &&
           (next->id == TRACE_ID_dpc_entry || (next->id == TRACE_ID_thread_switch &&
                                               TRACE_WHY_REASON(next->field[2]) == WAIT_PREEMPTED));
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
    struct account_thread *thread = current_thread(accounting);

    if (machine->depth > 0) {
        const struct account_frame *frame = &machine->frames[machine->depth - 1];

        account_handler_of(accounting, frame->kind, frame->id)->stamped += ticks;
    } else if (thread != NULL) {
        thread->stamped += ticks;
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

/* Ends what is known at machine->now. */
static void forget(struct accounting *accounting)
{
    struct account_machine *machine = accounting->machine;

    finish_handler(accounting);
    machine->depth = 0;
    machine->whole = false;
    machine->handlers_known = false;
    accounting->current = ACCOUNT_NO_THREAD;
    for (size_t i = 0; i < accounting->thread_count; i++) {
        struct account_thread *thread = accounting->threads[i];

        if (thread->alive) {
            account_thread_set(thread, STATE_UNKNOWN, machine->now);
        }
        thread->in_fault = false;
        thread->woken = false;
        thread->preempted = false;
        thread->waits_for_lock = false;
    }
    for (size_t i = 0; i < ACCOUNT_IDS; i++) {
        if (accounting->dpcs[i] != NULL) {
            accounting->dpcs[i]->is_queued = false;
        }
    }
    for (size_t i = 0; i < accounting->lock_count; i++) {
        accounting->locks[i]->holder = TRACE_NO_HOLDER;
    }
    for (size_t i = 0; i < machine->observer_count; i++) {
        if (machine->observers[i].unknown != NULL) {
            machine->observers[i].unknown(machine->observers[i].context, accounting);
        }
    }
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
        forget(accounting);
    }
    for (size_t i = 0; i < machine->observer_count; i++) {
        if (machine->observers[i].event != NULL) {
            machine->observers[i].event(machine->observers[i].context, accounting, event);
        }
    }
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
    forget(accounting);
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

static void begin_part(struct accounting *accounting, const struct run_trace *trace)
{
    struct account_machine *machine = accounting->machine;

    machine->costs = trace->costs;
    if (machine->costs.lead > machine->costs.record) {
        machine->costs.lead = machine->costs.record; /* the measurement of the costs failed */
    }
    machine->charging = account_charging(accounting->bench);
    machine->begin = trace->begin;
    machine->restated = trace->restated;
    machine->now = trace->begin;
    machine->after = 0;
    machine->trail = 0;
    machine->handler_left = false;
    machine->whole = true;
    machine->handlers_known = true;
    accounting->part++;
    accounting->current = first_thread(trace);
    if (accounting->current != ACCOUNT_NO_THREAD) {
        account_thread_born(accounting, accounting->current, trace->begin, STATE_RUNNING);
    }
    for (size_t i = 0; i < machine->observer_count; i++) {
        if (machine->observers[i].part != NULL) {
            machine->observers[i].part(machine->observers[i].context, accounting, trace);
        }
    }
}

static void end_part(struct accounting *accounting, const struct run_trace *trace)
{
    struct account_machine *machine = accounting->machine;

    if (machine->now < trace->end) {
        close_span(accounting, NULL, trace->end);
    }
    forget(accounting);
    for (size_t i = 0; i < accounting->thread_count; i++) {
        if (accounting->threads[i]->alive) {
            account_thread_ended(accounting->threads[i], machine->now);
        }
        accounting->threads[i]->state = STATE_UNKNOWN;
    }
    accounting->elapsed += trace->end > trace->begin ? trace->end - trace->begin : 0;
}

static bool read_part(struct accounting *accounting, const struct run_trace *trace)
{
    struct trace_reader *reader = trace_reader_open(trace, 1);
    enum trace_reader_status status;
    struct trace_event event;
    struct trace_gap gap;

    begin_part(accounting, trace);
    while ((status = trace_reader_next(reader, &event, &gap)) != TRACE_END &&
           status != TRACE_ERROR) {
        if (status == TRACE_EVENT) {
            take_event(accounting, &event);
        } else {
            take_gap(accounting, &gap);
        }
    }
    end_part(accounting, trace);
    trace_reader_close(reader);
    return status == TRACE_END;
}

bool accounting_read(struct accounting *accounting, const struct run_bench *bench,
                     const struct account_observer *observers, size_t observer_count)
{
    bool good = true;

    memset(accounting, 0, sizeof(*accounting));
    accounting->bench = bench;
    accounting->current = ACCOUNT_NO_THREAD;
    accounting->machine = alloc_zeroed(sizeof(*accounting->machine));
    accounting->machine->observers = observers;
    accounting->machine->observer_count = observer_count;
    for (size_t i = 0; i < bench->trace_count && good; i++) {
        good = read_part(accounting, &bench->traces[i]);
    }
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
    if (accounting->machine != NULL) {
        free(accounting->thread_slots);
        free(accounting->lock_slots);
        free(accounting->machine);
    }
}
