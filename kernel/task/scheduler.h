/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler: which threads are ready or waiting, and which one runs. For the mechanisms in this
 * folder; benches use thread.h and session.h. Call all functions with interrupts off.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/mem/paging.h"
#include "kernel/trace/trace.h"

#define THREAD_PRIORITY_IDLE 0
#define THREAD_PRIORITY_MAX  31 /* priority of the bench's own thread; others lie below */

struct process;
typedef void thread_entry(void *argument);

/* Threads that wait for the same thing, ordered by priority, then by arrival. */
struct wait_queue {
    struct thread *first;
};

struct thread {
    uint64_t rsp; /* stack pointer while it does not run; must be the first member, for switch.S */
    uint16_t id;
    uint8_t priority;      /* effective priority, which inheritance may raise */
    uint8_t base_priority; /* priority without inheritance */
    uint8_t state;         /* enum thread_state */
    uint8_t why;           /* enum wait_reason while it waits */
    const char *name;
    struct thread *next; /* next thread in the one queue that it is in */
    struct wait_queue *queue;
    struct wait_queue joiners;
    struct stack stack;
    struct process *process; /* NULL for a kernel thread, which runs in ring 0 */
    thread_entry *entry;
    void *argument;
    uint64_t charged;                   /* number of clock ticks charged to it */
    struct message_node *first_message; /* message.c: oldest message that has arrived */
    struct message_node *last_message;
    uint16_t wanted_tag;     /* tag that it waits for, while it waits for a message */
    struct mutex *waits_for; /* locks.c: the mutex it waits for; inheritance follows this chain */
    struct mutex *holds;     /* locks.c: list of the mutexes it holds */
#if TARE_SMP
    uint64_t affinity;       /* bit n: it may run on processor n */
    uint8_t processor;       /* where it runs or ran last, or in whose queue it is */
    uint8_t static_priority; /* base priority without boosts */
    uint64_t left;           /* ticks left of its quantum; 0: it gets a new one */
    uint64_t ready_since;
#endif
};

/* Makes the running thread wait in `queue` until scheduler_wake(). If `queue` is NULL, it is in no
 * queue and must be woken by its pointer. Interrupts are off when it returns. */
void scheduler_wait(struct wait_queue *queue, enum wait_reason reason);

/* Makes a waiting thread ready, and takes it out of its queue. Does not switch threads: call
 * scheduler_settle() when the caller's own work is done. */
void scheduler_wake(struct thread *thread);
/* Does the same if scheduler_by() is known already. */
void scheduler_wake_by(struct thread *thread, uint16_t by);
/* Wakes the first thread of a queue and returns it; NULL if none waits. */
struct thread *scheduler_wake_first(struct wait_queue *queue);

/* Lets a ready thread of higher priority run now. Does nothing in an interrupt handler or a DPC:
 * the switch happens when the last of them returns. */
void scheduler_settle(void);

/* Changes the effective priority and keeps queues in order. An event of the trace. */
void scheduler_set_priority(struct thread *thread, uint8_t priority);

/* Returns what is acting now, as TRACE_BY(): the running handler or DPC, otherwise the running
 * thread. */
uint16_t scheduler_by(void);

/* Returns the thread that runs, or that the running handler interrupted. */
struct thread *scheduler_running(void);
/* Makes a new thread ready. */
void scheduler_admit(struct thread *thread);
/* Moves the running thread after all others of its priority. */
void scheduler_yield(void);
/* Ends the running thread; does not return. */
void scheduler_end(void);

#if TARE_SMP
/* ---- for balance.c ---- */

struct thread *scheduler_running_on(size_t processor);
/* Returns a bit for each priority of which that processor's queue has a thread. */
uint32_t scheduler_occupied(size_t processor);
/* Returns how many threads of a priority are ready there. */
size_t scheduler_ready_count(size_t processor, uint8_t priority);
/* Returns the first thread in that queue, of the highest priority, that may run on processor
 * `allowed`; NULL if there is none besides the idle thread. */
struct thread *scheduler_first_for(size_t processor, size_t allowed);
/* Moves a ready thread to the end of another processor's queue. */
void scheduler_move(struct thread *thread, size_t to);
/* Returns the number of switches on a processor in this session so far. */
uint64_t scheduler_switches_on(size_t processor);
/* Lets a thread run only where `affinity` allows it, from now on. */
void scheduler_set_affinity(struct thread *thread, uint64_t affinity);
#endif

/* ---- for the session ---- */

/* Empties the ready lists and makes `first` the running thread; NULL: none runs. */
void scheduler_reset(struct thread *first);
/* Does the same as scheduler_settle(), when the last interrupt handler has returned. */
void scheduler_preempt(void);
/* Returns the number of thread switches in this session so far. */
uint64_t scheduler_switches(void);
