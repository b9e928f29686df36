/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/timer.h"

#include <stddef.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/smp/baton.h"
#include "kernel/trace/trace.h"

static struct timer *PER_CPU earliest PER_CPU_SECTION;
static struct clock_lapic_factor factor;

/* Sets the LAPIC timer to the earliest deadline. If the count ends too early, by rounding or by the
 * error of the timer's rate, that only costs another interrupt, in which no timer is due. The time
 * between reading the TSC and setting the timer makes every deadline late. */
static void arm(void)
{
    if (earliest == NULL) {
        return;
    }
#if TARE_SMP
    if (baton_arm(earliest->deadline)) {
        return;
    }
#endif
    const uint64_t deadline = earliest->deadline;
    const uint64_t now = tsc_read();

    lapic_timer_rearm(clock_lapic_counts_by(&factor, (int64_t)(deadline - now)));
}

static void insert(struct timer *timer)
{
    struct timer **at = PER_CPU_HERE(struct timer *, earliest);

    while (*at != NULL && (*at)->deadline <= timer->deadline) {
        at = &(*at)->next;
    }
    timer->next = *at;
    *at = timer;
    timer->armed = true;
}

static void expire(struct timer *timer)
{
    const uint64_t deadline = timer->deadline;

    earliest = timer->next;
    timer->armed = false;
    if (trace_running) {
        trace_timer_expire(deadline);
    }
    if (timer->period != 0) {
        timer->deadline += timer->period;
        insert(timer);
    }
    interrupts_enable();
    timer->handler(timer->argument);
    interrupts_disable();
}

static void timer_interrupt(void *argument)
{
    (void)argument;
    interrupts_disable();
    while (earliest != NULL && earliest->deadline <= tsc_read()) {
        expire(earliest);
    }
    arm();
    interrupts_enable();
}

void timer_start(struct timer *timer, uint64_t deadline, uint64_t period, timer_handler *handler,
                 void *argument)
{
    const uint64_t flags = interrupts_save();

    *timer = (struct timer){
        .deadline = deadline, .period = period, .handler = handler, .argument = argument};
#if TARE_SMP
    timer->processor = (uint8_t)percpu_number;
#endif
    insert(timer);
    if (earliest == timer) {
        arm();
    }
    interrupts_restore(flags);
}

void timer_stop(struct timer *timer)
{
    const uint64_t flags = interrupts_save();
    struct timer **at = PER_CPU_OF(timer->processor, struct timer *, earliest);

    if (timer->armed) {
        while (*at != timer) {
            at = &(*at)->next;
        }
        *at = timer->next;
        timer->armed = false;
    }
    interrupts_restore(flags);
}

size_t timers_armed(void)
{
    size_t count = 0;

    for (const struct timer *timer = earliest; timer != NULL; timer = timer->next) {
        count++;
    }
    return count;
}

#if TARE_SMP
size_t timers_armed_on(size_t processor)
{
    size_t count = 0;

    for (const struct timer *timer = *PER_CPU_OF(processor, struct timer *, earliest);
         timer != NULL; timer = timer->next) {
        count++;
    }
    return count;
}
#endif

void timers_begin(void)
{
    earliest = NULL;
    factor = clock_lapic_factor();
    interrupt_attach(LAPIC_VECTOR_TIMER, "lapic_timer", timer_interrupt, NULL);
#if TARE_SMP
    lapic_timer_start(baton_timer_vector(), LAPIC_TIMER_ONE_SHOT, 0);
#else
    lapic_timer_start(LAPIC_VECTOR_TIMER, LAPIC_TIMER_ONE_SHOT, 0);
#endif
}

void timers_end(void)
{
    lapic_timer_stop();
    earliest = NULL;
    interrupt_detach(LAPIC_VECTOR_TIMER);
}
