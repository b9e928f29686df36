/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mutexes, with and without priority inheritance (Sha, Rajkumar, Lehoczky, "Priority inheritance
 * protocols", IEEE ToC 39(9), 1990). With it a holder runs at the highest priority of those who
 * wait, along the whole chain of mutexes and holders. A lock of the trace.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/task/scheduler.h"

struct mutex {
    struct thread *holder; /* NULL: free */
    struct mutex *next_held;
    struct wait_queue waiters;
    uint16_t id;
    bool inherits;
};

void mutex_init(struct mutex *mutex, const char *name, bool inherits);
/* Not recursive. */
void mutex_lock(struct mutex *mutex);
/* By the holder. The waiter of highest priority holds it next. */
void mutex_unlock(struct mutex *mutex);

/* Counting semaphores. A lock of the trace. */

struct semaphore {
    uint32_t count;
    uint16_t id;
    struct wait_queue waiters;
};

/* Within a session; `name` lives until the trace has been sent. */
void semaphore_init(struct semaphore *semaphore, const char *name, uint32_t count);
/* Takes one, or waits until one is posted for it. */
void semaphore_wait(struct semaphore *semaphore);
/* Hands it to the waiter of highest priority, or counts it. From interrupt handlers as well. */
void semaphore_post(struct semaphore *semaphore);
