/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mutexes, with and without priority inheritance (Sha, Rajkumar, Lehoczky, "Priority inheritance
 * protocols", IEEE ToC 39(9), 1990), and semaphores. With inheritance, a holder runs at the highest
 * priority of the threads that wait for it, along the whole chain of mutexes and holders. In the
 * trace, a mutex is a lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/task/scheduler.h"

struct mutex {
    struct thread *holder; /* NULL if the mutex is free */
    struct mutex *next_held;
    struct wait_queue waiters;
    uint16_t id;
    bool inherits;
};

void mutex_init(struct mutex *mutex, const char *name, bool inherits);
/* Locks the mutex, and waits if another thread holds it. Not recursive. */
void mutex_lock(struct mutex *mutex);
/* Unlocks the mutex; only its holder may call this. The waiter with the highest priority holds it
 * next. */
void mutex_unlock(struct mutex *mutex);

/* Counting semaphores. In the trace, a semaphore is a lock. */

struct semaphore {
    uint32_t count;
    uint16_t id;
    struct wait_queue waiters;
};

/* Call within a session. `name` must stay valid until the trace has been sent. */
void semaphore_init(struct semaphore *semaphore, const char *name, uint32_t count);
/* Takes one from the count, or waits until another thread or handler posts one. */
void semaphore_wait(struct semaphore *semaphore);
/* Hands one to the waiter with the highest priority, or adds it to the count. May also be called in
 * interrupt handlers. */
void semaphore_post(struct semaphore *semaphore);
