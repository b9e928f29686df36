/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler: which threads are ready or waiting, and which one runs. For the mechanisms in this
 * folder; benches use thread.h and session.h. Call all functions with interrupts off.
 */
#pragma once

#include <stdbool.h>
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
/*
 * ---- several processors: balance.c decides, scheduler.c has the queues ----
 *
 * A thread that becomes ready goes to the processor where it ran last if that one is idle, else to
 * an idle one, else to where it ran last if it outranks the thread there, else to the processor
 * whose thread it outranks most, else into the queue of the last. A processor that would become
 * idle takes the ready thread of highest priority from the others. Among equals, the processor of
 * the lowest number is chosen. So what happens depends on the order of events only.
 *
 * A thread's quantum ends only if an equal is ready on its processor, or one that outranks it
 * without its boost; no timer runs otherwise.
 */

/* Threads whose base priority is above this get no boost, and no boost leads above it. */
#define BOOST_PRIORITY_MAX 15
/* A thread that was ready for this many quanta without running is raised to BOOST_PRIORITY_MAX,
 * from where it decays. */
#define STARVED_QUANTA 32

struct balance_settings {
    size_t processors;
    uint64_t quantum; /* ticks; 0: none */
    bool boosts;
};

void balance_begin(const struct balance_settings *settings);

/* Chooses the processor of a thread that becomes ready and sets it, an event if it changes. */
void balance_place(struct thread *thread);
/* The same for a new thread: instead of where it ran last, the fewest threads of its priority. */
void balance_place_new(struct thread *thread);
/* If an idle processor may run the running thread, which has been outranked here, sets that one and
 * returns true. */
bool balance_push(struct thread *thread);
/* Sets another processor for the running thread, which may not run here any more. */
void balance_expel(struct thread *thread);
/* Called right after the event of a switch from a thread that goes to another processor. */
void balance_moved(struct thread *thread);
/* Call after a thread came into a queue or changed its priority: makes its processor look. */
void balance_notify(const struct thread *thread);
/* Sends an interrupt that makes a processor look at its queue, an event. */
void balance_send(size_t to);

/* Called when `old` leaves the processor, and when `next` gets it. */
void balance_before_switch(struct thread *old, enum wait_reason reason);
void balance_run(struct thread *next);
/* Returns whether the running thread's quantum is over and an equal is ready; then it must go to
 * the end of its queue. Lowers a boosted priority by one. */
bool balance_quantum_over(struct thread *thread);
/* Sets the timer of the quantum if an equal has become ready. */
void balance_check_quantum(void);

/* Raises the priority of a thread whose wait ends, by the kind of the wait (thread->why). */
void balance_boost_woken(struct thread *thread);
/* Raises threads that have starved. Called by the session's timer on processor 0. */
void balance_rescue_starved(void);

/* What balance.c needs of scheduler.c. */

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
