/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session: the time in which there are threads. A bench turns its caller into a thread and back:
 *
 *     task_begin(&settings);     the caller is thread 1, "bench", of the highest priority
 *     a = thread_create(...);    ready, but the bench continues
 *     thread_join(a);            now others run
 *     task_end();
 *
 * Interrupts are on within a session.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/task/thread.h"

struct task_settings {
    /* The idle thread runs the idle loop (kernel/clock/idle_loop.h): samples of `idle_inner`
     * iterations each, whose stamps go to idle_rows[0..idle_capacity]. When that is full, the loop
     * continues without storing. If idle_rows is NULL it stores nothing; if idle_inner is 0, a
     * sample takes about 1 us. */
    uint64_t idle_inner;
    int64_t *idle_rows;
    size_t idle_capacity; /* number of samples; idle_rows has one row more (kernel/pmu/reader.h) */
    /* period of the clock tick for sampled accounting, in TSC ticks; 0: no clock tick */
    uint64_t tick_period;
    /* TSC ticks; 0 means 10 s. If there is no thread switch for this time, the bench ends as CRASH
     * with a report of the running thread, unless the idle thread runs and a timer will expire.
     * Code that keeps interrupts off is ended by an NMI after three times that, at most 15 s, if
     * the machine has a source for one (kernel/clock/alarm.h). */
    uint64_t watchdog;
#if TARE_SMP
    size_t processors; /* number of processors that run threads, from 0 on; 0 means 1 */
    uint64_t quantum;  /* in ticks; 0: a thread runs until it waits */
    bool boosts;       /* a thread's priority rises at the end of a wait (scheduler.h) */
    /* the clock tick of processor n comes this many ticks after that of processor n - 1 */
    uint64_t tick_stagger;
#endif
};

/* Begins a session. Returns false if memory ran out or there is no LAPIC timer. */
bool task_begin(const struct task_settings *settings);
/* Ends the session and drops the other threads, wherever they are. Interrupts are off
 * afterwards. */
void task_end(void);
/* Does the same if an exception ended the session's bench; otherwise does nothing. */
void task_abandon(void);
bool task_active(void);

/* Lets the periods of the session's own timers, the clock tick among them, begin at a TSC. */
void task_restart_timers(uint64_t from);

/* Enclose code that may take long with interrupts off: the watchdog does not count that time. */
void task_pause(void);
void task_resume(void);

/* Restarts the ids of threads, locks and so on. The runner calls it before each bench, so that
 * within a bench no two have the same id. A bench that needs more threads than there are ids may
 * call it between two sessions, neither of which is traced. */
void task_forget(void);
/* Records the current state of every thread (event thread_is), as the beginning of a trace. */
void task_trace_state(void);

#if TARE_SMP
/* What the plan says about sessions whose task_settings do not say it. */
struct task_plan {
    size_t processors;
    uint64_t quantum_us;
    bool boosts;
    const char *hog; /* TASKS_HOG_NONE and so on (names.h) */
    size_t devices;  /* the processor to which devices interrupt */
};
void task_use(const struct task_plan *plan);
/* Returns the number of processors that the plan's sessions need. */
size_t task_processors_planned(void);
/* The largest number of processors of a session: those from 0 on that work, at most PERCPU_MAX; 1
 * if the kernel does not run on processor 0 (plan key processor). The first
 * call starts them and reserves their memory; call it before the trace begins. */
size_t task_processors_max(void);

/* If the watchdog ended a session on several processors, writes what is known of the cause: the
 * processor that does not go on, an interrupt that was lost, a lock that is not released. Returns
 * false if nothing is. */
bool task_explain(char *reason, size_t size);

/* The same for a processor other than 0, whose copy of variables is selected: the thread that it
 * runs, and its idle thread. task_trace_state() leaves them out. */
void task_trace_other(size_t processor);
#endif

/* Returns the number of completed idle samples n; the last row is idle_rows[n]. */
size_t task_idle_samples(void);
