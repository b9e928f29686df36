/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting semaphores. A lock of the trace. */
#pragma once

#include <stdint.h>

#include "kernel/task/scheduler.h"

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
