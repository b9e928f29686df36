/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timers with absolute deadlines in TSC ticks, on the one LAPIC timer. Within a session (thread.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called inside the timer interrupt, after the timer_expire event. */
typedef void timer_handler(void *argument);

struct timer {
    uint64_t deadline;
    uint64_t period; /* 0: once */
    timer_handler *handler;
    void *argument;
    struct timer *next;
    bool armed;
};

/* Calls `handler` at `deadline` and, with a period, at every multiple of it later: a late call does
 * not shift those that follow. A deadline in the past is due at once. `timer` must stay until it
 * has expired or was stopped, and is not started again before: what it holds need not be set, so
 * that nothing here could detect. */
void timer_start(struct timer *timer, uint64_t deadline, uint64_t period, timer_handler *handler,
                 void *argument);
void timer_stop(struct timer *timer);

/* ---- for the session, interrupts off ---- */

void timers_begin(void);
void timers_end(void);
size_t timers_armed(void);
