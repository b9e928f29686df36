/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads, with preemptive scheduling by static priorities, first come first
 * served within a priority. A preempted thread continues before all others of its priority. Every
 * change is an event of the trace (kernel/trace/events.def).
 *
 * Threads live within a session (session.h). Each runs on a stack above a guard page; an exception
 * in a thread ends the bench as CRASH and names the thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/task/scheduler.h"

#define THREADS_MAX 260 /* per session, including those that have ended */

/* Returns how often the clock tick charged a thread: the traditional, sampled accounting. */
uint64_t thread_charged(const struct thread *thread);

/* Creates a thread that runs `entry` with interrupts on; returning from it is thread_exit(). If its
 * priority is above the caller's, it runs at once. `name` must stay valid until the trace has been
 * sent. Returns NULL if there are too many threads or memory ran out. */
struct thread *thread_create(const char *name, unsigned priority, thread_entry *entry,
                             void *argument);

#if TARE_SMP
/* As thread_create(), but the thread may run on those processors only whose bit in `affinity` is
 * set; one of the session's must be. */
struct thread *thread_create_on(const char *name, unsigned priority, uint64_t affinity,
                                thread_entry *entry, void *argument);
/* Changes where a thread may run. If it runs elsewhere, it is moved when that processor has taken
 * the interrupt. */
void thread_set_affinity(struct thread *thread, uint64_t affinity);
/* Returns the processor that runs the caller at this moment. */
size_t thread_processor(void);
#endif

struct thread *thread_current(void);
uint16_t thread_id(const struct thread *thread);
const char *thread_name(const struct thread *thread);
/* Returns NULL if there is no such thread. */
struct thread *thread_by_id(uint16_t id);
/* Returns the first thread of that name, including ended ones; NULL if there is none. */
struct thread *thread_by_name(const char *name);
/* Returns whether the thread waits: it is neither ready nor running, and has not ended. */
bool thread_waits(const struct thread *thread);

_Noreturn void thread_exit(void);
void thread_join(struct thread *thread);
/* Moves the running thread after all others of the same priority. */
void thread_yield(void);
/* Sleeps until the TSC has reached `deadline`; returns at once if it has. */
void thread_sleep_until(uint64_t deadline);

/* ---- for the mechanisms in this folder, interrupts off ---- */

/* Does the same as thread_create(), but the thread belongs to a process and first runs `start` in
 * ring 0, from where process.c enters ring 3. The thread is ready; the caller must call
 * scheduler_settle(). */
struct thread *thread_create_in(const char *name, unsigned priority, struct process *process,
                                thread_entry *start, void *argument);
/* Set up threads 0 and 1, which every session has: thread_reserve() by its id, then
 * thread_prepare(), which gives it a stack and a function. thread_prepare() returns false if memory
 * ran out. */
struct thread *thread_reserve(uint16_t id, const char *name, unsigned priority);
bool thread_prepare(struct thread *thread, thread_entry *entry, void *argument);
/* Names a thread in the trace. */
void thread_name_object(const struct thread *thread);
void threads_forget(void);
size_t threads_count(void);
