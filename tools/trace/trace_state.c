/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/trace_state.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"

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

struct state_cpu {
    bool present;             /* there was an event of it */
    uint32_t cpu;             /* its number */
    uint32_t current;         /* running thread; NO_THREAD: unknown */
    struct state_thread idle; /* its thread 0 */
    struct entered handlers[DEPTH_MAX];
    size_t depth;
    bool handlers_known;
};

struct trace_state {
    trace_state_put *put;
    void *context;
    struct state_thread *threads[THREADS]; /* but 0; NULL: not named by any event so far */
    size_t limit;                          /* all ids so far are below this */
    struct state_cpu cpus[RUN_PROCESSORS_MAX];
    struct state_cpu *on; /* that of the last event */
    uint64_t blind;       /* up to this TSC, events of some processor are missing */
    bool sure;            /* the last event is not before that */
    uint64_t tsc;         /* stamp of what is put */
};

static size_t place_of(uint32_t cpu)
{
    return cpu < RUN_PROCESSORS_MAX ? cpu : 0;
}

struct trace_state *trace_state_create(trace_state_put *put, void *context)
{
    struct trace_state *state = alloc_zeroed(sizeof(*state));

    state->put = put;
    state->context = context;
    for (size_t i = 0; i < RUN_PROCESSORS_MAX; i++) {
        state->cpus[i].current = NO_THREAD;
        state->cpus[i].handlers_known = true;
    }
    state->on = &state->cpus[0];
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

    if (at == TRACE_IDLE_THREAD) {
        return &state->on->idle;
    }
    if (state->threads[at] == NULL) {
        state->threads[at] = alloc_zeroed(sizeof(*state->threads[at]));
        state->limit = at < state->limit ? state->limit : at + 1;
    }
    return state->threads[at];
}

static void set_state(const struct trace_state *all, struct state_thread *thread, uint64_t state,
                      uint64_t why)
{
    thread->known = state == THREAD_RUNNING || (state != THREAD_ENDED && all->sure);
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
    set_state(state, thread, THREAD_READY, WAIT_NONE);
    thread->started = true;
    thread->call_count = 0;
    thread->unstated = false;
}

static void apply_is(struct trace_state *state, const struct trace_event *event)
{
    struct state_thread *thread = thread_of(state, event->field[0]);

    describe(thread, event);
    set_state(state, thread, event->field[3], event->field[4]);
    if (event->field[3] == THREAD_RUNNING) {
        state->on->current = (uint32_t)event->field[0];
    }
}

/* A thread that is switched to has no handler above it. */
static void apply_switch(struct trace_state *state, const struct trace_event *event)
{
    set_state(state, thread_of(state, event->field[0]), TRACE_WHY_STATE(event->field[2]),
              TRACE_WHY_REASON(event->field[2]));
    set_state(state, thread_of(state, event->field[1]), THREAD_RUNNING, WAIT_NONE);
    state->on->current = (uint32_t)event->field[1];
    state->on->depth = 0;
    state->on->handlers_known = true;
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
    if (state->on->depth > 0 || state->on->current == NO_THREAD) {
        return;
    }
    struct state_thread *thread = thread_of(state, state->on->current);

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
        set_state(state, thread_of(state, event->field[0]), THREAD_READY, WAIT_NONE);
        break;
    case TRACE_ID_thread_priority:
        thread_of(state, event->field[0])->priority = event->field[1];
        break;
    case TRACE_ID_thread_boost:
        thread_of(state, event->field[0])->priority = event->field[2];
        break;
    case TRACE_ID_isr_entry:
    case TRACE_ID_dpc_entry:
        enter(state->on->handlers, &state->on->depth, DEPTH_MAX, event);
        break;
    case TRACE_ID_isr_exit:
        leave(state->on->handlers, &state->on->depth, TRACE_ID_isr_entry);
        break;
    case TRACE_ID_dpc_exit:
        leave(state->on->handlers, &state->on->depth, TRACE_ID_dpc_entry);
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

/* Puts an event of the processor `on`. */
static void put_entered(const struct trace_state *state, const struct entered *entered,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        state->put(state->context,
                   &(struct trace_event){.tsc = state->tsc,
                                         .cpu = state->on->cpu,
                                         .id = entered[i].id,
                                         .field = {entered[i].field[0], entered[i].field[1]}});
    }
}

static void put_calls(const struct trace_state *state, struct state_thread *thread)
{
    thread->unstated = false;
    put_entered(state, thread->calls, thread->call_count);
}

void trace_state_event(struct trace_state *state, const struct trace_event *event)
{
    state->on = &state->cpus[place_of(event->cpu)];
    state->on->present = true;
    state->on->cpu = event->cpu;
    state->sure = event->tsc >= state->blind;
    apply(state, event);
    if (event->id == TRACE_ID_thread_switch && thread_of(state, event->field[1])->unstated) {
        state->tsc = event->tsc;
        put_calls(state, thread_of(state, event->field[1]));
    }
}

static void lose_thread(struct state_thread *thread)
{
    thread->known = false;
    thread->started = false;
    thread->unstated = false;
    thread->call_count = 0;
}

static bool runs(const struct trace_state *state, uint64_t id)
{
    return SEARCH_ANY(i, RUN_PROCESSORS_MAX, state->cpus[i].current == id);
}

void trace_state_lost(struct trace_state *state, const struct trace_gap *gap)
{
    for (size_t i = 0; i < RUN_PROCESSORS_MAX; i++) {
        struct state_cpu *cpu = &state->cpus[i];

        if (gap == NULL || place_of(gap->cpu) == i) {
            cpu->current = NO_THREAD;
            cpu->depth = 0;
            cpu->handlers_known = false;
            lose_thread(&cpu->idle);
        }
    }
    state->blind = gap != NULL && gap->to > state->blind ? gap->to : state->blind;
    for (size_t i = 0; i < state->limit; i++) {
        if (state->threads[i] != NULL && !runs(state, i)) {
            lose_thread(state->threads[i]);
        }
    }
}

static void put_thread(const struct trace_state *state, const struct state_thread *thread,
                       uint64_t id)
{
    const struct trace_event event = {
        .tsc = state->tsc,
        .cpu = state->on->cpu,
        .id = thread->started ? TRACE_ID_thread_start : TRACE_ID_thread_is,
        .field = {id, thread->process, thread->priority, thread->started ? 0 : thread->state,
                  thread->started ? 0 : thread->why},
    };

    if (thread->described && thread->known) {
        state->put(state->context, &event);
    }
}

/* The running thread is put first, because others may refer to it. The others that do not run are
 * put with `others`. */
static void restate_cpu(struct trace_state *state, bool others)
{
    const struct state_cpu *on = state->on;
    struct state_thread *current = on->current != NO_THREAD ? thread_of(state, on->current) : NULL;

    if (current != NULL) {
        put_thread(state, current, on->current);
    }
    for (size_t i = 0; i == 0 || (others && i < state->limit); i++) {
        struct state_thread *thread = i == 0 ? &state->on->idle : state->threads[i];

        if (thread == NULL || thread == current || (i > 0 && runs(state, i))) {
            continue;
        }
        thread->unstated = thread->call_count > 0;
        put_thread(state, thread, i);
    }
    if (current != NULL) {
        put_calls(state, current);
    }
    put_entered(state, on->handlers, on->depth);
}

void trace_state_restate(struct trace_state *state, uint64_t tsc)
{
    bool first = true;

    state->tsc = tsc;
    for (size_t i = 0; i < RUN_PROCESSORS_MAX; i++) {
        if (state->cpus[i].present) {
            state->on = &state->cpus[i];
            restate_cpu(state, first);
            first = false;
        }
    }
}

bool trace_state_knows_handlers(const struct trace_state *state, uint32_t cpu)
{
    return state->cpus[place_of(cpu)].handlers_known;
}
