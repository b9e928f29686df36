/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler: who is ready, who waits and who runs. For the mechanisms in this folder; benches
 * call thread.h and session.h. All of it is called with interrupts off.
 */
#pragma once

#include <stdint.h>

#include "kernel/mem/paging.h"
#include "kernel/trace/trace.h"

#define THREAD_PRIORITY_IDLE 0
#define THREAD_PRIORITY_MAX  31 /* the bench's own; others are between */

struct process;
typedef void thread_entry(void *argument);

/* Threads that wait for the same thing: highest priority first, first come first served within. */
struct wait_queue {
    struct thread *first;
};

struct thread {
    uint64_t rsp; /* while it does not run; first, known to switch.S */
    uint16_t id;
    uint8_t priority;      /* in force: inheritance may raise it */
    uint8_t base_priority; /* its own */
    uint8_t state;         /* enum thread_state */
    uint8_t why;           /* enum wait_reason, while it waits */
    const char *name;
    struct thread *next; /* in the one queue that it is in */
    struct wait_queue *queue;
    struct wait_queue joiners;
    struct stack stack;
    struct process *process; /* NULL: the kernel's address space, ring 0 */
    thread_entry *entry;
    void *argument;
    uint64_t charged;                   /* clock ticks */
    struct message_node *first_message; /* message.c: what has arrived, in order */
    struct message_node *last_message;
    uint16_t wanted_tag;     /* while it waits for a message */
    struct mutex *waits_for; /* locks.c: inheritance follows this chain */
    struct mutex *holds;     /* locks.c: the list of what it holds */
};

/* The running thread waits in `queue` (NULL: in none; somebody knows it) until scheduler_wake() of
 * it. Interrupts are off when it returns. */
void scheduler_wait(struct wait_queue *queue, enum wait_reason reason);

/* Makes a waiting thread ready, taking it out of its queue. Does not switch: call
 * scheduler_settle() when the caller's own work is done. */
void scheduler_wake(struct thread *thread);
/* The same where scheduler_by() is known already. */
void scheduler_wake_by(struct thread *thread, uint16_t by);
/* The first of a queue; NULL: none waits. */
struct thread *scheduler_wake_first(struct wait_queue *queue);

/* Lets a higher priority that became ready run now. In an interrupt handler or a DPC it does
 * nothing: that happens when the last of them returns. */
void scheduler_settle(void);

/* Changes the priority in force and keeps queues in order; an event of the trace. */
void scheduler_set_priority(struct thread *thread, uint8_t priority);

/* Who acts at this moment, as TRACE_BY() has it: the handler or DPC that runs, else the thread. */
uint16_t scheduler_by(void);

/* The thread that runs, or that the running handler interrupted. */
struct thread *scheduler_running(void);
/* A new thread is ready. */
void scheduler_admit(struct thread *thread);
/* The running thread goes behind all others of its priority. */
void scheduler_yield(void);
/* The running thread has ended; does not return. */
void scheduler_end(void);

/* ---- for the session ---- */

/* No one is ready, and `first` runs; NULL: none runs. */
void scheduler_reset(struct thread *first);
/* When the last interrupt handler has returned: as scheduler_settle(). */
void scheduler_preempt(void);
/* Switches of the session so far. */
uint64_t scheduler_switches(void);
