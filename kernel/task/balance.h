/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Policy of the scheduler on several processors, in the image tare-smp: on which processor a thread
 * runs, for how long (its quantum), and how its priority moves (boosts). scheduler.c has the
 * queues. Call all functions with interrupts off.
 *
 * A thread that becomes ready goes to the processor where it ran last if that one is idle, else to
 * an idle one, else to where it ran last if it outranks the thread there, else to the processor
 * whose thread it outranks most, else to its last one's queue. A processor that would become idle
 * takes the ready thread of highest priority from the others. Among equals, the processor of the
 * lowest number is chosen. So what happens depends on the order of events only.
 *
 * A thread's quantum ends only if an equal is ready on its processor, or one that outranks it without
 * its boost; no timer runs otherwise.
 */
#pragma once

#if TARE_SMP

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/task/scheduler.h"

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

struct balance_counts {
    uint64_t migrations; /* threads that came to this processor from another */
    uint64_t steals;     /* of these, those that it took when it would have become idle */
    uint64_t ipis;       /* sent by this processor */
    uint64_t quantum_ends;
    uint64_t boosts;
};

void balance_begin(const struct balance_settings *settings);
struct balance_counts balance_counts(size_t processor);

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

#endif
