/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timers with absolute deadlines in TSC ticks, all on the one LAPIC timer. Use within a session
 * (session.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called inside the timer interrupt, after the timer_expire event. */
typedef void timer_handler(void *argument);

struct timer {
    uint64_t deadline;
    uint64_t period; /* 0: expires only once */
    timer_handler *handler;
    void *argument;
    struct timer *next;
    bool armed;
#if TARE_SMP
    uint8_t processor; /* on whose LAPIC timer it waits: that of the caller of timer_start() */
#endif
};

/* Calls `handler` at `deadline` and, with a period, every `period` ticks later; a late call does
 * not shift the following ones. A deadline in the past is due at once. `timer` must stay valid
 * until it has expired or was stopped, and must not be started again before that. Its members need
 * not be initialised, so this function cannot detect a second start. */
void timer_start(struct timer *timer, uint64_t deadline, uint64_t period, timer_handler *handler,
                 void *argument);
void timer_stop(struct timer *timer);

/* ---- for the session, interrupts off ---- */

void timers_begin(void);
void timers_end(void);
size_t timers_armed(void);
#if TARE_SMP
size_t timers_armed_on(size_t processor);
#endif
