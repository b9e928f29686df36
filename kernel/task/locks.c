/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mutexes and semaphores. A thread's effective priority is the maximum of its base priority and the
 * priorities of the threads that wait for inheriting mutexes it holds. A wait raises priorities
 * along the chain. An unlock, in any order, computes the priority from the mutexes still held.
 */
#include "kernel/task/locks.h"

#include "kernel/cpu/cpu.h"
#include "kernel/task/thread.h"
#include "kernel/trace/object.h"

void mutex_init(struct mutex *mutex, const char *name, bool inherits)
{
    *mutex = (struct mutex){
        .id = trace_object_add(OBJECT_LOCK, name),
        .inherits = inherits,
    };
}

static void give(struct mutex *mutex, struct thread *thread)
{
    mutex->holder = thread;
    mutex->next_held = thread->holds;
    thread->holds = mutex;
}

static void take_away(struct mutex *mutex)
{
    struct mutex **link = &mutex->holder->holds;

    while (*link != mutex) {
        link = &(*link)->next_held;
    }
    *link = mutex->next_held;
    mutex->holder = NULL;
}

/* Raises the holder of the mutex to at least `priority`, and then each further holder that one
 * waits for. Stops at a holder that has this priority already, so it ends even if threads wait for
 * each other in a circle. */
static void raise_holders(const struct mutex *mutex, uint8_t priority)
{
    while (mutex != NULL && mutex->inherits && mutex->holder->priority < priority) {
        scheduler_set_priority(mutex->holder, priority);
        mutex = mutex->holder->waits_for;
    }
}

static uint8_t due_priority(const struct thread *thread)
{
    uint8_t priority = thread->base_priority;

    for (const struct mutex *held = thread->holds; held != NULL; held = held->next_held) {
        const struct thread *first = held->waiters.first;

        if (held->inherits && first != NULL && first->priority > priority) {
            priority = first->priority;
        }
    }
    return priority;
}

void mutex_lock(struct mutex *mutex)
{
    const uint64_t flags = interrupts_save();
    struct thread *self = thread_current();

    if (mutex->holder == NULL) {
        give(mutex, self);
    } else {
        trace_lock_wait(mutex->id, mutex->holder->id);
        self->waits_for = mutex;
        raise_holders(mutex, self->priority);
        scheduler_wait(&mutex->waiters, WAIT_MUTEX);
    }
    trace_lock_acquire(mutex->id);
    interrupts_restore(flags);
}

void mutex_unlock(struct mutex *mutex)
{
    const uint64_t flags = interrupts_save();
    struct thread *self = mutex->holder;

    trace_lock_release(mutex->id);
    take_away(mutex);
    struct thread *next = scheduler_wake_first(&mutex->waiters);

    /* The remaining waiters have no higher priority than `next`, so they cannot raise it. */
    if (next != NULL) {
        next->waits_for = NULL;
        give(mutex, next);
    }
    const uint8_t priority = due_priority(self);

    if (priority != self->priority) {
        scheduler_set_priority(self, priority);
    }
    scheduler_settle();
    interrupts_restore(flags);
}

void semaphore_init(struct semaphore *semaphore, const char *name, uint32_t count)
{
    *semaphore = (struct semaphore){
        .count = count,
        .id = trace_object_add(OBJECT_LOCK, name),
    };
}

void semaphore_wait(struct semaphore *semaphore)
{
    const uint64_t flags = interrupts_save();

    if (semaphore->count > 0) {
        semaphore->count--;
    } else {
        trace_lock_wait(semaphore->id, TRACE_NO_HOLDER);
        scheduler_wait(&semaphore->waiters, WAIT_SEMAPHORE);
    }
    trace_lock_acquire(semaphore->id);
    interrupts_restore(flags);
}

void semaphore_post(struct semaphore *semaphore)
{
    const uint64_t flags = interrupts_save();

    trace_lock_release(semaphore->id);
    /* The woken thread has what was posted. It is not counted, so no other thread can take it. */
    if (scheduler_wake_first(&semaphore->waiters) == NULL) {
        semaphore->count++;
    }
    scheduler_settle();
    interrupts_restore(flags);
}
