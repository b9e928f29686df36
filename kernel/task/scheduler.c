/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/scheduler.h"

#include <stddef.h>

#include "kernel/irq/interrupt.h"
#include "kernel/task/dpc.h"
#include "kernel/task/process_space.h"

/* Switches stacks (switch.S). */
void thread_switch_stack(uint64_t *old_rsp, uint64_t new_rsp);

struct ready_list {
    struct thread *first;
    struct thread *last;
};

static PER_CPU struct ready_list ready[THREAD_PRIORITY_MAX + 1] PER_CPU_SECTION;
static PER_CPU uint32_t occupied PER_CPU_SECTION; /* bit p is set if ready[p] is not empty */
static struct thread *PER_CPU running PER_CPU_SECTION;
static PER_CPU uint64_t switches PER_CPU_SECTION;

/* The queue that a thread is in. */
#define READY_OF(thread) \
    PER_CPU_OF((thread)->processor, struct ready_list, ready[(thread)->priority])
#define OCCUPIED_OF(thread) (*PER_CPU_OF((thread)->processor, uint32_t, occupied))

/* ---- the ready queue ---- */

static void append_ready(struct thread *thread)
{
    struct ready_list *list = READY_OF(thread);

    thread->state = THREAD_READY;
    thread->next = NULL;
    if (list->first == NULL) {
        list->first = thread;
        OCCUPIED_OF(thread) |= 1u << thread->priority;
    } else {
        list->last->next = thread;
    }
    list->last = thread;
}

/* Puts a preempted thread before all others of its priority. */
static void prepend_ready(struct thread *thread)
{
    struct ready_list *list = READY_OF(thread);

    thread->state = THREAD_READY;
    thread->next = list->first;
    if (list->first == NULL) {
        list->last = thread;
        OCCUPIED_OF(thread) |= 1u << thread->priority;
    }
    list->first = thread;
}

static unsigned highest_ready(void)
{
    return 31u - (unsigned)__builtin_clz(occupied);
}

static struct thread *take_first_ready(void)
{
    const unsigned priority = highest_ready();
    struct thread *thread = ready[priority].first;

    ready[priority].first = thread->next;
    if (thread->next == NULL) {
        occupied &= ~(1u << priority);
    }
    return thread;
}

static void remove_ready(struct thread *thread)
{
    struct ready_list *list = READY_OF(thread);
    struct thread *before = NULL;

    for (struct thread *at = list->first; at != thread; at = at->next) {
        before = at;
    }
    if (before == NULL) {
        list->first = thread->next;
    } else {
        before->next = thread->next;
    }
    if (list->last == thread) {
        list->last = before;
    }
    if (list->first == NULL) {
        OCCUPIED_OF(thread) &= ~(1u << thread->priority);
    }
}

/* ---- queues of those that wait ---- */

static void enqueue(struct wait_queue *queue, struct thread *thread)
{
    struct thread **at = &queue->first;

    while (*at != NULL && (*at)->priority >= thread->priority) {
        at = &(*at)->next;
    }
    thread->next = *at;
    *at = thread;
    thread->queue = queue;
}

static void dequeue(struct thread *thread)
{
    struct thread **at = &thread->queue->first;

    while (*at != thread) {
        at = &(*at)->next;
    }
    *at = thread->next;
    thread->queue = NULL;
}

/* ---- switching ---- */

/* Switches to the first ready thread, unless that is the running thread. Call after the running
 * thread's state and place have been set. */
static void switch_away(enum wait_reason reason)
{
    struct thread *old = running;
#if TARE_SMP
    balance_before_switch(old, reason);
#endif
    struct thread *next = take_first_ready();
    const uint8_t why = TRACE_WHY(reason, old->state);

    next->state = THREAD_RUNNING;
#if TARE_SMP
    balance_run(next);
#endif
    if (next == old) {
        return;
    }
    running = next;
    switches++;
    trace_thread_switch(old->id, next->id, why);
#if TARE_SMP
    if (old->processor != percpu_number) {
        balance_moved(old);
    }
#endif
    process_set_kernel_stack(next->stack.top);
    if (next->process != NULL) {
        process_enter(next->process); /* kernel threads can run in every address space */
    }
    thread_switch_stack(&old->rsp, next->rsp);
}

static bool outranked(void)
{
    return occupied >> running->priority > 1;
}

void scheduler_wait(struct wait_queue *queue, enum wait_reason reason)
{
    running->state = THREAD_WAITING;
    running->why = (uint8_t)reason;
    if (queue != NULL) {
        enqueue(queue, running);
    }
    switch_away(reason);
}

static void make_ready(struct thread *thread)
{
    if (thread->queue != NULL) {
        dequeue(thread);
    }
#if TARE_SMP
    balance_boost_woken(thread);
    balance_place(thread);
#endif
    append_ready(thread);
#if TARE_SMP
    balance_notify(thread);
#endif
}

void scheduler_wake_by(struct thread *thread, uint16_t by)
{
    trace_thread_ready(thread->id, by);
    make_ready(thread);
}

void scheduler_wake(struct thread *thread)
{
    if (trace_running) {
        trace_thread_ready(thread->id, scheduler_by());
    }
    make_ready(thread);
}

struct thread *scheduler_wake_first(struct wait_queue *queue)
{
    struct thread *thread = queue->first;

    if (thread != NULL) {
        scheduler_wake(thread);
    }
    return thread;
}

#if TARE_SMP
/* Puts the running thread, which others have outranked, first into this processor's queue, or into
 * that of an idle one. */
static void put_back(void)
{
    struct thread *thread = running;

    if (balance_push(thread)) {
        append_ready(thread);
    } else {
        prepend_ready(thread);
    }
}

static bool may_run_here(const struct thread *thread)
{
    return (thread->affinity >> percpu_number & 1) != 0;
}

/* Moves the running thread away if it may not run here any more, or if its quantum is over and an
 * equal is ready. Returns whether another thread has run since. */
static bool give_way(void)
{
    struct thread *thread = running;

    if (!may_run_here(thread)) {
        balance_expel(thread);
        append_ready(thread);
        switch_away(WAIT_PREEMPTED);
        return true;
    }
    if (balance_quantum_over(thread)) {
        append_ready(thread);
        switch_away(WAIT_QUANTUM);
        return true;
    }
    return false;
}

void scheduler_settle(void)
{
    if (interrupt_current() != 0 || dpc_current() != NULL) {
        return;
    }
    if (outranked()) {
        put_back();
        switch_away(WAIT_OVERTAKEN);
    } else if (!may_run_here(running)) {
        give_way();
    }
}

void scheduler_preempt(void)
{
    if (outranked() && may_run_here(running)) {
        put_back();
        switch_away(WAIT_PREEMPTED);
    } else if (!give_way()) {
        balance_check_quantum();
    }
}
#else
void scheduler_settle(void)
{
    if (outranked() && interrupt_current() == 0 && dpc_current() == NULL) {
        prepend_ready(running);
        switch_away(WAIT_OVERTAKEN);
    }
}

void scheduler_preempt(void)
{
    if (outranked()) {
        prepend_ready(running);
        switch_away(WAIT_PREEMPTED);
    }
}
#endif

void scheduler_yield(void)
{
    append_ready(running);
    switch_away(WAIT_YIELD);
}

void scheduler_end(void)
{
    running->state = THREAD_ENDED;
    switch_away(WAIT_EXIT);
}

void scheduler_set_priority(struct thread *thread, uint8_t priority)
{
    struct wait_queue *queue = thread->queue;

    if (thread->priority == priority) {
        return;
    }
    trace_thread_priority(thread->id, priority);
    if (thread->state == THREAD_READY) {
        remove_ready(thread);
        thread->priority = priority;
        append_ready(thread);
    } else if (queue != NULL) {
        dequeue(thread);
        thread->priority = priority;
        enqueue(queue, thread);
    } else {
        thread->priority = priority;
    }
#if TARE_SMP
    balance_notify(thread);
#endif
}

uint16_t scheduler_by(void)
{
    const struct dpc *dpc = dpc_current();

    if (interrupt_current() != 0) {
        return TRACE_BY(TRACE_BY_VECTOR, interrupt_current());
    }
    return dpc != NULL ? TRACE_BY(TRACE_BY_DPC, dpc->id) : TRACE_BY(TRACE_BY_THREAD, running->id);
}

/* ---- the session's part ---- */

void scheduler_reset(struct thread *first)
{
    for (unsigned i = 0; i <= THREAD_PRIORITY_MAX; i++) {
        *PER_CPU_HERE(struct ready_list, ready[i]) = (struct ready_list){NULL, NULL};
    }
    occupied = 0;
    switches = 0;
    running = first;
    if (first != NULL) {
        first->state = THREAD_RUNNING;
    }
}

void scheduler_admit(struct thread *thread)
{
#if TARE_SMP
    if (thread->id != TRACE_IDLE_THREAD) {
        balance_place_new(thread);
    }
#endif
    append_ready(thread);
#if TARE_SMP
    balance_notify(thread);
#endif
}

#if TARE_SMP
struct thread *scheduler_running_on(size_t processor)
{
    return *PER_CPU_OF(processor, struct thread *, running);
}

uint32_t scheduler_occupied(size_t processor)
{
    return *PER_CPU_OF(processor, uint32_t, occupied);
}

uint64_t scheduler_switches_on(size_t processor)
{
    return *PER_CPU_OF(processor, uint64_t, switches);
}

size_t scheduler_ready_count(size_t processor, uint8_t priority)
{
    const struct thread *thread = PER_CPU_OF(processor, struct ready_list, ready[priority])->first;
    size_t count = 0;

    while (thread != NULL) {
        thread = thread->next;
        count++;
    }
    return count;
}

struct thread *scheduler_first_for(size_t processor, size_t allowed)
{
    for (unsigned priority = THREAD_PRIORITY_MAX; priority > THREAD_PRIORITY_IDLE; priority--) {
        struct thread *thread = PER_CPU_OF(processor, struct ready_list, ready[priority])->first;

        while (thread != NULL && (thread->affinity >> allowed & 1) == 0) {
            thread = thread->next;
        }
        if (thread != NULL) {
            return thread;
        }
    }
    return NULL;
}

void scheduler_move(struct thread *thread, size_t to)
{
    remove_ready(thread);
    trace_thread_migrate(thread->id, thread->processor, (uint8_t)to);
    thread->processor = (uint8_t)to;
    append_ready(thread);
}

void scheduler_set_affinity(struct thread *thread, uint64_t affinity)
{
    thread->affinity = affinity;
    if ((affinity >> thread->processor & 1) != 0) {
        return;
    }
    if (thread->state == THREAD_READY) {
        remove_ready(thread);
        balance_place(thread);
        append_ready(thread);
        balance_notify(thread);
    } else if (thread->state == THREAD_RUNNING) {
        balance_send(thread->processor);
    }
}
#endif

uint64_t scheduler_switches(void)
{
    return switches;
}

struct thread *scheduler_running(void)
{
    return running;
}
