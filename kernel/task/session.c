/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/session.h"

#include "kernel/clock/alarm.h"
#include "kernel/clock/clock.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/exception.h"
#include "kernel/cpu/scale.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/pmu/reader.h"
#include "kernel/task/dpc.h"
#include "kernel/task/message.h"
#include "kernel/task/names.h"
#include "kernel/task/process.h"
#include "kernel/task/process_space.h"
#include "kernel/task/timer.h"
#include "kernel/trace/account.h"
#include "kernel/trace/object.h"

#define IDLE_INNER_DEFAULT  500
#define WATCHDOG_DEFAULT_US 10000000
/* The watchdog checks this often, or after its own time if that is shorter. */
#define WATCHDOG_STEP_US 5000000
/* Number of steps after which the alarm goes off because not even the watchdog's timer interrupt
 * came. */
#define ALARM_STEPS 3

static struct {
    bool active;
    struct task_settings settings;
    struct timer tick;
    struct timer watchdog;
    uint64_t switches_seen; /* number of switches at the watchdog's last check */
    uint64_t still;         /* ticks since the watchdog last saw a switch */
    uint64_t alarm_us;
} session;

bool task_active(void)
{
    return session.active;
}

/* ---- the idle thread ---- */

static void idle_main(void *argument)
{
    const struct task_settings *settings = argument;

    if (settings->idle_rows != NULL) {
        idle_loop_run(settings->idle_rows, settings->idle_capacity, settings->idle_inner);
    }
    for (;;) {
        idle_loop_spin(settings->idle_inner);
    }
}

/* Rows start as zeroes, and no stamp is 0, so the first zero row ends the samples. */
size_t task_idle_samples(void)
{
    const size_t words = reader_row_words();
    size_t count = 0;

    if (session.settings.idle_rows == NULL) {
        return 0;
    }
    while (count < session.settings.idle_capacity &&
           session.settings.idle_rows[(count + 1) * words] != 0) {
        count++;
    }
    return count;
}

/* ---- the session's timers ---- */

static void clock_tick(void *argument)
{
    struct thread *charged = scheduler_running();

    (void)argument;
    charged->charged++;
    trace_tick(charged->id);
}

/* Returns whether a timer other than the session's own will expire. */
static bool timer_to_come(void)
{
    return timers_armed() > (session.settings.tick_period != 0 ? 2u : 1u);
}

static void look_after(void *argument)
{
    const uint64_t switches = scheduler_switches();
    const bool idle = scheduler_running()->id == TRACE_IDLE_THREAD;
    const bool alive = switches != session.switches_seen || (idle && timer_to_come());

    (void)argument;
    alarm_set(ALARM_THREADS, session.alarm_us);
    session.switches_seen = switches;
    session.still = alive ? 0 : session.still + session.watchdog.period;
    if (session.still >= session.settings.watchdog) {
        exception_force(interrupt_outermost_frame());
    }
}

static void start_timers(void)
{
    const uint64_t most = clock_ticks_from_us(WATCHDOG_STEP_US);
    const uint64_t now = tsc_read();

    if (session.settings.watchdog == 0) {
        session.settings.watchdog = clock_ticks_from_us(WATCHDOG_DEFAULT_US);
    }
    const uint64_t step = session.settings.watchdog < most ? session.settings.watchdog : most;

    session.alarm_us = scale_u64(ALARM_STEPS * step, WATCHDOG_STEP_US, most);
    session.switches_seen = UINT64_MAX;
    session.still = 0;
    timers_begin();
    timer_start(&session.watchdog, now + step, step, look_after, NULL);
    alarm_set(ALARM_THREADS, session.alarm_us);
    if (session.settings.tick_period != 0) {
        timer_start(&session.tick, now + session.settings.tick_period, session.settings.tick_period,
                    clock_tick, NULL);
    }
}

/* ---- begin and end ---- */

/* Called when all interrupt handlers have returned. */
static void on_return(void)
{
    if (dpc_current() == NULL) {
        dpc_run_all();
        scheduler_preempt();
    }
}

static bool start_idle(void)
{
    struct thread *idle =
        thread_reserve(TRACE_IDLE_THREAD, NAME_OF_IDLE_THREAD, THREAD_PRIORITY_IDLE);

    if (session.settings.idle_inner == 0) {
        session.settings.idle_inner = IDLE_INNER_DEFAULT;
    }
    if (!thread_prepare(idle, idle_main, &session.settings)) {
        return false;
    }
    thread_name_object(idle);
    trace_thread_start(TRACE_IDLE_THREAD, 0, THREAD_PRIORITY_IDLE);
    scheduler_admit(idle);
    return true;
}

bool task_begin(const struct task_settings *settings)
{
    if (!lapic_state()->present || clock_state()->lapic_hz == 0) {
        return false;
    }
    session.settings = *settings;
    messages_reset();
    dpc_reset();
    process_reset();
    struct thread *bench =
        thread_reserve(TRACE_BENCH_THREAD, NAME_OF_BENCH_THREAD, THREAD_PRIORITY_MAX);

    thread_name_object(bench);
    scheduler_reset(bench);
    if (!start_idle()) {
        scheduler_reset(NULL);
        return false;
    }
    session.active = true;
    interrupt_set_return_hook(on_return);
    start_timers();
    interrupts_enable();
    return true;
}

void task_end(void)
{
    interrupts_disable();
    alarm_stop(ALARM_THREADS);
    timers_end();
    interrupt_set_return_hook(NULL);
    process_reset();
    scheduler_reset(NULL);
    session.active = false;
}

void task_pause(void)
{
    alarm_pause(ALARM_THREADS);
}

void task_resume(void)
{
    session.switches_seen = UINT64_MAX;
    alarm_resume(ALARM_THREADS);
}

void task_abandon(void)
{
    if (session.active) {
        interrupt_reset();
        dpc_reset();
        task_end();
    }
}

void task_forget(void)
{
    threads_forget();
    trace_objects_reset();
}

void task_trace_state(void)
{
    if (!session.active) {
        trace_thread_is(TRACE_BENCH_THREAD, 0, THREAD_PRIORITY_MAX, THREAD_RUNNING, WAIT_NONE);
        return;
    }
    for (size_t i = 0; i < threads_count(); i++) {
        const struct thread *thread = thread_by_id((uint16_t)i);

        if (thread->state != THREAD_ENDED) {
            const uint8_t why = thread->state == THREAD_READY
                                    ? TRACE_WHY_REASON(trace_account_why(thread->id))
                                    : thread->why;

            trace_thread_is(thread->id, process_id(thread->process), thread->priority,
                            thread->state, why);
        }
    }
}
