/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads on one processor: static priorities, preemptive, first come first served within one. A
 * preempted thread goes on where it was, before all others of its priority. Every change is an
 * event of the trace (kernel/trace/events.def).
 *
 * Threads live within a session (session.h). They run on stacks of their own above a guard page; an
 * exception in one ends the bench as CRASH and names the thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/task/scheduler.h"

#define THREADS_MAX 260 /* in one session, those that have ended included */

/* How often the clock tick charged a thread: the old way of accounting. */
uint64_t thread_charged(const struct thread *thread);

/* NULL where there are too many threads, or memory ran out. `name` must live until the trace has
 * been sent. Runs `entry` with interrupts on; returning from it is thread_exit(). If its priority
 * is above the caller's it runs at once. */
struct thread *thread_create(const char *name, unsigned priority, thread_entry *entry,
                             void *argument);

struct thread *thread_current(void);
uint16_t thread_id(const struct thread *thread);
const char *thread_name(const struct thread *thread);
/* NULL where there is none. */
struct thread *thread_by_id(uint16_t id);
/* The first of that name, of all that the session has had. */
struct thread *thread_by_name(const char *name);
/* Until something wakes it: neither ready nor running, nor ended. */
bool thread_waits(const struct thread *thread);

_Noreturn void thread_exit(void);
void thread_join(struct thread *thread);
/* Behind all others of the same priority. */
void thread_yield(void);
/* Until the TSC has reached `deadline`; returns at once where it has. */
void thread_sleep_until(uint64_t deadline);

/* ---- for the mechanisms in this folder, interrupts off ---- */

/* As thread_create(), but the thread belongs to a process and first runs `start` in ring 0, from
 * where process.c goes on to ring 3. It is ready; who calls settles. */
struct thread *thread_create_in(const char *name, unsigned priority, struct process *process,
                                thread_entry *start, void *argument);
/* Threads 0 and 1, which every session has, by their ids: first reserved, then given a stack and
 * what to run. False: no memory. */
struct thread *thread_reserve(uint16_t id, const char *name, unsigned priority);
bool thread_prepare(struct thread *thread, thread_entry *entry, void *argument);
/* Names a thread for the trace. */
void thread_name_object(const struct thread *thread);
void threads_forget(void);
size_t threads_count(void);
