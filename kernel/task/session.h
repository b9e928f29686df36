/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of this folder share and nobody else sees: the scheduler's inner functions, and
 * how a session (thread.h) begins and ends. Interrupts are off in all of them.
 */
#pragma once

#include "kernel/task/scheduler.h"

/* scheduler.c */
void scheduler_reset(struct thread *first); /* NULL: nobody runs */
void scheduler_admit(struct thread *thread);
struct thread *scheduler_running(void);
void scheduler_preempt(void); /* when the last interrupt handler has returned */
void scheduler_yield(void);
void scheduler_end(void); /* does not return */

uint64_t scheduler_switches(void); /* of the session so far */

/* thread.c */
struct thread *thread_reserve(uint16_t id, const char *name, unsigned priority); /* 0 and 1 */
bool thread_prepare(struct thread *thread, thread_entry *entry, void *argument);
void thread_name_object(const struct thread *thread); /* for the trace */
void threads_forget(void);
size_t threads_count(void);

/* timer.c */
size_t timers_armed(void);
void timers_begin(void);
void timers_end(void);

/* dpc.c */
struct dpc;
const struct dpc *dpc_current(void); /* that runs; NULL: none */
void dpc_run_all(void);
void dpc_reset(void);

/* message.c */
void messages_reset(void);
