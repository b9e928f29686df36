/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session: the time in which there are threads. A bench turns its caller into a thread and back:
 *
 *     task_begin(&settings);     the caller is thread 1, "bench", of the highest priority
 *     a = thread_create(...);    ready, but the bench goes on
 *     thread_join(a);            now others run
 *     task_end();
 *
 * In between interrupts are on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/task/thread.h"

struct task_settings {
    /* The idle thread is the idle loop (kernel/clock/idle_loop.h): samples of `idle_inner`
     * iterations whose stamps go to idle_rows[0..idle_capacity]; when it is full the loop goes on
     * without keeping them. idle_rows NULL: it keeps none. idle_inner 0: some 1 us. */
    uint64_t idle_inner;
    int64_t *idle_rows;
    size_t idle_capacity; /* samples; there is one row (kernel/pmu/reader.h) more */
    uint64_t tick_period; /* of sampled accounting, in TSC ticks; 0: no clock tick */
    /* TSC ticks; 0: 10 s. After so long without a switch from thread to thread the bench is ended
     * as CRASH and who runs is reported, unless the idle thread runs and a timer is to come. Code
     * that keeps interrupts off is ended by an NMI after three times that, or 15 s, where there is
     * a way for one (kernel/clock/alarm.h). */
    uint64_t watchdog;
};

/* False where memory ran out, or where there is no LAPIC timer. */
bool task_begin(const struct task_settings *settings);
/* The other threads are dropped, wherever they are. Interrupts are off afterwards. */
void task_end(void);
/* The same after a session that an exception ended; nothing where none did. */
void task_abandon(void);
bool task_active(void);

/* Around what may take long with interrupts off: the watchdog does not count it. */
void task_pause(void);
void task_resume(void);

/* For the runner, before each bench: ids of threads, locks and the like start anew, so that within
 * a bench no two have the same. Also for a bench that needs more threads than there are ids:
 * between two sessions of which neither is traced. */
void task_forget(void);
/* Records what every thread is at this moment (thread_is): the beginning of a trace. */
void task_trace_state(void);

/* Idle samples that were completed; the last row is idle_rows[that]. */
size_t task_idle_samples(void);
