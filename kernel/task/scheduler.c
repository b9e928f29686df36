/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/scheduler.h"

#include <stddef.h>

#include "kernel/cpu/cpu.h"
#include "kernel/irq/interrupt.h"
#include "kernel/task/dpc.h"
#include "kernel/task/process_space.h"

/* Switches stacks (switch.S). */
void thread_switch_stack(uint64_t *old_rsp, uint64_t new_rsp);

struct ready_list {
    struct thread *first;
    struct thread *last;
};

static struct ready_list ready[THREAD_PRIORITY_MAX + 1];
static uint32_t occupied; /* bit p is set if ready[p] is not empty */
static struct thread *running;
static uint64_t switches;

/* ---- the ready queue ---- */

static void append_ready(struct thread *thread)
{
    struct ready_list *list = &ready[thread->priority];

    thread->state = THREAD_READY;
    thread->next = NULL;
    if (list->first == NULL) {
        list->first = thread;
        occupied |= 1u << thread->priority;
    } else {
        list->last->next = thread;
    }
    list->last = thread;
}

/* Puts a preempted thread before all others of its priority. */
static void prepend_ready(struct thread *thread)
{
    struct ready_list *list = &ready[thread->priority];

    thread->state = THREAD_READY;
    thread->next = list->first;
    if (list->first == NULL) {
        list->last = thread;
        occupied |= 1u << thread->priority;
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
    struct ready_list *list = &ready[thread->priority];
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
        occupied &= ~(1u << thread->priority);
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
    struct thread *next = take_first_ready();
    const uint8_t why = TRACE_WHY(reason, old->state);

    next->state = THREAD_RUNNING;
    if (next == old) {
        return;
    }
    running = next;
    switches++;
    trace_thread_switch(old->id, next->id, why);
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
    append_ready(thread);
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
        ready[i] = (struct ready_list){NULL, NULL};
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
    append_ready(thread);
}

uint64_t scheduler_switches(void)
{
    return switches;
}

struct thread *scheduler_running(void)
{
    return running;
}
