/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/trace_state.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

#define THREADS   (UINT16_MAX + 1)
#define NO_THREAD THREADS
#define DEPTH_MAX 64 /* nested handlers, as in accounting_events.h */
#define CALLS_MAX 8  /* nested calls of a thread */

/* A call, fault or handler that was entered: its event without the stamp. */
struct entered {
    uint32_t id;
    uint64_t field[2];
};

struct state_thread {
    bool described; /* process and priority are known */
    bool known;     /* the state is known */
    bool started;   /* begun by a thread_start, and has not run since */
    bool unstated;  /* its open system calls have not been written to the output yet */
    uint64_t process, priority, state, why;
    struct entered calls[CALLS_MAX];
    size_t call_count;
};

struct trace_state {
    struct state_thread *threads[THREADS]; /* NULL: not named by any event so far */
    size_t limit;                          /* all ids so far are below this */
    uint32_t current;                      /* running thread; NO_THREAD: unknown */
    struct entered handlers[DEPTH_MAX];
    size_t depth;
    bool handlers_known;
};

struct trace_state *trace_state_create(void)
{
    struct trace_state *state = alloc_zeroed(sizeof(*state));

    state->current = NO_THREAD;
    state->handlers_known = true;
    return state;
}

void trace_state_destroy(struct trace_state *state)
{
    if (state == NULL) {
        return;
    }
    for (size_t i = 0; i < state->limit; i++) {
        free(state->threads[i]);
    }
    free(state);
}

static struct state_thread *thread_of(struct trace_state *state, uint64_t id)
{
    const size_t at = id % THREADS;

    if (state->threads[at] == NULL) {
        state->threads[at] = alloc_zeroed(sizeof(*state->threads[at]));
        state->limit = at < state->limit ? state->limit : at + 1;
    }
    return state->threads[at];
}

static void set_state(struct state_thread *thread, uint64_t state, uint64_t why)
{
    thread->known = state != THREAD_ENDED;
    thread->state = state;
    thread->why = why;
    thread->started = false;
}

static void describe(struct state_thread *thread, const struct trace_event *event)
{
    thread->described = true;
    thread->process = event->field[1];
    thread->priority = event->field[2];
}

static void apply_start(struct trace_state *state, const struct trace_event *event)
{
    struct state_thread *thread = thread_of(state, event->field[0]);

    describe(thread, event);
    set_state(thread, THREAD_READY, WAIT_NONE);
    thread->started = true;
    thread->call_count = 0;
    thread->unstated = false;
}

static void apply_is(struct trace_state *state, const struct trace_event *event)
{
    struct state_thread *thread = thread_of(state, event->field[0]);

    describe(thread, event);
    set_state(thread, event->field[3], event->field[4]);
    if (event->field[3] == THREAD_RUNNING) {
        state->current = (uint32_t)event->field[0];
    }
}

/* A thread that is switched to has no handler above it. */
static void apply_switch(struct trace_state *state, const struct trace_event *event)
{
    set_state(thread_of(state, event->field[0]), TRACE_WHY_STATE(event->field[2]),
              TRACE_WHY_REASON(event->field[2]));
    set_state(thread_of(state, event->field[1]), THREAD_RUNNING, WAIT_NONE);
    state->current = (uint32_t)event->field[1];
    state->depth = 0;
    state->handlers_known = true;
}

static void enter(struct entered *entered, size_t *count, size_t most,
                  const struct trace_event *event)
{
    if (*count < most) {
        entered[(*count)++] = (struct entered){event->id, {event->field[0], event->field[1]}};
    }
}

/* Leaves up to the innermost entry of this kind; does nothing if there is none. */
static void leave(const struct entered *entered, size_t *count, uint32_t id)
{
    size_t at = *count;

    while (at > 0 && entered[at - 1].id != id) {
        at--;
    }
    *count = at > 0 ? at - 1 : *count;
}

static void apply_call(struct trace_state *state, const struct trace_event *event)
{
    if (state->depth > 0 || state->current == NO_THREAD) {
        return;
    }
    struct state_thread *thread = thread_of(state, state->current);

    if (event->id == TRACE_ID_syscall_entry || event->id == TRACE_ID_fault_entry) {
        enter(thread->calls, &thread->call_count, CALLS_MAX, event);
    } else {
        leave(thread->calls, &thread->call_count,
              event->id == TRACE_ID_syscall_exit ? TRACE_ID_syscall_entry : TRACE_ID_fault_entry);
    }
}

static void apply(struct trace_state *state, const struct trace_event *event)
{
    switch (event->id) {
    case TRACE_ID_thread_is:
        apply_is(state, event);
        break;
    case TRACE_ID_thread_start:
        apply_start(state, event);
        break;
    case TRACE_ID_thread_switch:
        apply_switch(state, event);
        break;
    case TRACE_ID_thread_ready:
        set_state(thread_of(state, event->field[0]), THREAD_READY, WAIT_NONE);
        break;
    case TRACE_ID_thread_priority:
        thread_of(state, event->field[0])->priority = event->field[1];
        break;
    case TRACE_ID_isr_entry:
    case TRACE_ID_dpc_entry:
        enter(state->handlers, &state->depth, DEPTH_MAX, event);
        break;
    case TRACE_ID_isr_exit:
        leave(state->handlers, &state->depth, TRACE_ID_isr_entry);
        break;
    case TRACE_ID_dpc_exit:
        leave(state->handlers, &state->depth, TRACE_ID_dpc_entry);
        break;
    case TRACE_ID_syscall_entry:
    case TRACE_ID_syscall_exit:
    case TRACE_ID_fault_entry:
    case TRACE_ID_fault_exit:
        apply_call(state, event);
        break;
    default:
        break;
    }
}

static void put_entered(const struct entered *entered, size_t count, uint64_t tsc,
                        trace_state_put *put, void *context)
{
    for (size_t i = 0; i < count; i++) {
        put(context, &(struct trace_event){.tsc = tsc,
                                           .id = entered[i].id,
                                           .field = {entered[i].field[0], entered[i].field[1]}});
    }
}

static void put_calls(struct state_thread *thread, uint64_t tsc, trace_state_put *put,
                      void *context)
{
    thread->unstated = false;
    put_entered(thread->calls, thread->call_count, tsc, put, context);
}

void trace_state_event(struct trace_state *state, const struct trace_event *event,
                       trace_state_put *put, void *context)
{
    apply(state, event);
    if (event->id != TRACE_ID_thread_switch || put == NULL) {
        return;
    }
    struct state_thread *thread = thread_of(state, event->field[1]);

    if (thread->unstated) {
        put_calls(thread, event->tsc, put, context);
    }
}

void trace_state_lost(struct trace_state *state)
{
    state->current = NO_THREAD;
    state->depth = 0;
    state->handlers_known = false;
    for (size_t i = 0; i < state->limit; i++) {
        struct state_thread *thread = state->threads[i];

        if (thread != NULL) {
            thread->known = false;
            thread->started = false;
            thread->unstated = false;
            thread->call_count = 0;
        }
    }
}

static void put_thread(const struct state_thread *thread, uint64_t id, uint64_t tsc,
                       trace_state_put *put, void *context)
{
    const struct trace_event event = {
        .tsc = tsc,
        .id = thread->started ? TRACE_ID_thread_start : TRACE_ID_thread_is,
        .field = {id, thread->process, thread->priority, thread->started ? 0 : thread->state,
                  thread->started ? 0 : thread->why},
    };

    put(context, &event);
}

/* The running thread is put first, because others may refer to it. */
void trace_state_restate(struct trace_state *state, uint64_t tsc, trace_state_put *put,
                         void *context)
{
    struct state_thread *current =
        state->current != NO_THREAD ? state->threads[state->current] : NULL;

    if (current != NULL && current->described && current->known) {
        put_thread(current, state->current, tsc, put, context);
    }
    for (size_t i = 0; i < state->limit; i++) {
        struct state_thread *thread = state->threads[i];

        if (thread == NULL || thread == current) {
            continue;
        }
        thread->unstated = thread->call_count > 0;
        if (thread->described && thread->known) {
            put_thread(thread, i, tsc, put, context);
        }
    }
    if (current != NULL) {
        put_calls(current, tsc, put, context);
    }
    put_entered(state->handlers, state->depth, tsc, put, context);
}

bool trace_state_knows_handlers(const struct trace_state *state)
{
    return state->handlers_known;
}
