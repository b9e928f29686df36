/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/semaphore.h"

#include "kernel/cpu/cpu.h"
#include "kernel/trace/object.h"

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
    /* Who was woken has what was posted: it is not counted, so no other thread can take it. */
    if (scheduler_wake_first(&semaphore->waiters) == NULL) {
        semaphore->count++;
    }
    scheduler_settle();
    interrupts_restore(flags);
}
