/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/session.h"

#include <stdio.h>
#include <string.h>

#include "kernel/clock/alarm.h"
#include "kernel/clock/clock.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/exception.h"
#include "kernel/cpu/scale.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/mem/memory.h"
#include "kernel/pmu/reader.h"
#include "kernel/smp/baton.h"
#include "kernel/smp/processor.h"
#include "kernel/task/dpc.h"
#include "kernel/task/locks.h"
#include "kernel/task/message.h"
#include "kernel/task/names.h"
#include "kernel/task/process.h"
#include "kernel/task/process_space.h"
#include "kernel/task/syscall.h"
#include "kernel/task/timer.h"
#include "kernel/trace/account.h"
#include "kernel/trace/object.h"

#define IDLE_INNER_DEFAULT  500
#define WATCHDOG_DEFAULT_US 10000000
#define HOG_PRIORITY        10 /* that of applications (bench/interactive/app.h) */
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
    uint64_t step;          /* period of the watchdog's checks */
    uint64_t alarm_us;
#if TARE_SMP
    uint64_t begun; /* local time at which its timers began */
    bool planned;   /* its processors are those of the plan */
    bool rescues;   /* starved threads are rescued */
#endif
} session;

bool task_active(void)
{
    return session.active;
}

/* ---- the idle thread ---- */

static void idle_main(void *argument)
{
    const struct task_settings *settings = argument;

#if TARE_SMP
    while (settings->processors > 1 && settings->idle_rows == NULL) {
        baton_idle();
    }
#endif
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
#if TARE_SMP
static bool timer_to_come(void)
{
    size_t count = 0;

    for (size_t i = 0; i < session.settings.processors; i++) {
        count += timers_armed_on(i);
    }
    return count > 1 + (session.settings.tick_period != 0 ? session.settings.processors : 0) +
                       (session.rescues ? 1 : 0);
}
#else
static bool timer_to_come(void)
{
    return timers_armed() > (session.settings.tick_period != 0 ? 2u : 1u);
}
#endif

static void look_after(void *argument)
{
#if TARE_SMP
    uint64_t switches = 0;
    bool idle = true;

    for (size_t i = 0; i < session.settings.processors; i++) {
        switches += scheduler_switches_on(i);
        idle = idle && scheduler_running_on(i)->id == TRACE_IDLE_THREAD;
    }
#else
    const uint64_t switches = scheduler_switches();
    const bool idle = scheduler_running()->id == TRACE_IDLE_THREAD;
#endif
    const bool alive = switches != session.switches_seen || (idle && timer_to_come());

    (void)argument;
    alarm_set(ALARM_THREADS, session.alarm_us);
    session.switches_seen = switches;
    session.still = alive ? 0 : session.still + session.watchdog.period;
    if (session.still >= session.settings.watchdog) {
        exception_force(interrupt_outermost_frame());
    }
}

void task_restart_timers(uint64_t from)
{
    const uint64_t step = session.step;
    const uint64_t tick = session.settings.tick_period;

    timer_stop(&session.watchdog);
    timer_start(&session.watchdog, from + step, step, look_after, NULL);
    if (tick != 0) {
        timer_stop(&session.tick);
        timer_start(&session.tick, from + tick, tick, clock_tick, NULL);
    }
}

static void start_timers(void)
{
    const uint64_t most = clock_ticks_from_us(WATCHDOG_STEP_US);
    const uint64_t now = tsc_read();

    if (session.settings.watchdog == 0) {
        session.settings.watchdog = clock_ticks_from_us(WATCHDOG_DEFAULT_US);
    }

    session.step = session.settings.watchdog < most ? session.settings.watchdog : most;
    session.alarm_us = scale_u64(ALARM_STEPS * session.step, WATCHDOG_STEP_US, most);
#if TARE_SMP
    session.alarm_us *= session.settings.processors; /* in exact time they execute by turns */
    session.begun = now;
#endif
    session.switches_seen = UINT64_MAX;
    session.still = 0;
    timers_begin();
    session.watchdog.armed = false;
    session.tick.armed = false;
    task_restart_timers(now);
    alarm_set(ALARM_THREADS, session.alarm_us);
}

#if TARE_SMP
/* ---- several processors ---- */

/* The threads that are idle on processors 1 and up: work that never ends (kernel/smp/processor.h).
 * All have the id of the idle thread, each in its processor's trace. */
static struct thread idle_threads[PERCPU_MAX];
static PER_CPU struct timer other_tick PER_CPU_SECTION;
static struct timer rescue;

static struct task_plan planned = {.processors = 1, .hog = TASKS_HOG_NONE};

void task_use(const struct task_plan *plan)
{
    planned = *plan;
}

size_t task_processors_planned(void)
{
    return planned.processors;
}

static void take_planned(struct task_settings *settings)
{
    session.planned = settings->processors == 0;
    if (!session.planned) {
        return;
    }
    settings->processors = planned.processors;
    settings->quantum =
        settings->quantum != 0 ? settings->quantum : clock_ticks_from_us(planned.quantum_us);
    settings->boosts = settings->boosts || planned.boosts;
}

static void compute(void *argument)
{
    (void)argument;
    for (;;) {
        idle_loop_spin(session.settings.idle_inner);
    }
}

/* Starts the thread that always computes. Returns false if there is no memory for it. */
static bool start_hog(void)
{
    uint64_t affinity = ~0ull;

    if (!session.planned || strcmp(planned.hog, TASKS_HOG_NONE) == 0) {
        return true;
    }
    affinity = strcmp(planned.hog, TASKS_HOG_SAME) == 0 ? 1 : affinity;
    affinity = strcmp(planned.hog, TASKS_HOG_OTHER) == 0 ? 2 : affinity;
    return thread_create_on(NAME_OF_HOG_THREAD, HOG_PRIORITY, affinity, compute, NULL) != NULL;
}

static bool is_shared(void)
{
    return session.settings.processors > 1;
}

size_t task_processors_max(void)
{
    size_t count = 1;

    processors_start();
    while (processor_current() == 0 && count < PERCPU_MAX && processor_works(count)) {
        if (!percpu_exists(count)) {
            void *copy = memory_allocate(percpu_size(), 64);

            if (copy == NULL) {
                break;
            }
            percpu_create(count, copy);
        }
        count++;
    }
    return count;
}

/* The interrupt only makes its processor come here: the scheduler looks when the handler returns.
 */
static void reschedule(void *argument)
{
    (void)argument;
}

/* Runs on a processor other than 0 until the session's end, as its idle thread. */
static void run_other(void *argument)
{
    struct thread *idle = argument;
    const char *why; /* processor 0 has reported it if processes are not possible */

    percpu_select((size_t)(idle - idle_threads));
    task_state_here = processor_task_state(percpu_number);
    process_entered = NULL;
    syscall_enable(&why);
    interrupt_forget_running();
    dpc_reset();
    scheduler_reset(idle);
    timers_begin();
    baton_join();
    if (session.settings.tick_period != 0) {
        timer_start(PER_CPU_HERE(struct timer, other_tick),
                    session.begun + session.settings.tick_period +
                        percpu_number * session.settings.tick_stagger,
                    session.settings.tick_period, clock_tick, NULL);
    }
    interrupts_enable();
    for (;;) {
        baton_idle();
    }
}

static void rescue_starved(void *argument)
{
    const uint64_t flags = interrupts_save();

    (void)argument;
    balance_rescue_starved();
    interrupts_restore(flags);
}

/* Begins sharing threads with the other processors. Returns false if one does not come. */
static bool begin_shared(void)
{
    interrupt_attach(BATON_VECTOR_RESCHEDULE, "reschedule", reschedule, NULL);
    interrupts_share();
    baton_begin(session.settings.processors, clock_is_exact());
    baton_set_devices(planned.devices < session.settings.processors ? planned.devices : 0);
    for (size_t i = 1; i < session.settings.processors; i++) {
        idle_threads[i] = (struct thread){
            .id = TRACE_IDLE_THREAD, .name = NAME_OF_IDLE_THREAD, .affinity = 1ull << i};
        idle_threads[i].processor = (uint8_t)i;
        if (!processor_begin(i, run_other, &idle_threads[i])) {
            return false;
        }
    }
    return baton_wait_joined();
}

static void end_shared(void)
{
    processors_abandon();
    baton_end();
    interrupt_detach(BATON_VECTOR_RESCHEDULE);
}
#endif

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
#if TARE_SMP
    idle->affinity = 1;
#endif
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
#if TARE_SMP
    take_planned(&session.settings);
    balance_begin(&(struct balance_settings){.processors = session.settings.processors,
                                             .quantum = session.settings.quantum,
                                             .boosts = session.settings.boosts});
#endif
    messages_reset();
    dpc_reset();
    process_reset();
    struct thread *bench =
        thread_reserve(TRACE_BENCH_THREAD, NAME_OF_BENCH_THREAD, THREAD_PRIORITY_MAX);

    thread_name_object(bench);
    scheduler_reset(bench);
#if TARE_SMP
    bench->affinity = 1;
#endif
    if (!start_idle()) {
        scheduler_reset(NULL);
        return false;
    }
#if TARE_SMP
    if (is_shared() && !begin_shared()) {
        end_shared();
        scheduler_reset(NULL);
        return false;
    }
#endif
    session.active = true;
    interrupt_set_return_hook(on_return);
    start_timers();
#if TARE_SMP
    session.rescues = session.settings.boosts && session.settings.quantum != 0;
    if (session.rescues) {
        timer_start(&rescue, session.begun + STARVED_QUANTA * session.settings.quantum,
                    STARVED_QUANTA * session.settings.quantum, rescue_starved, NULL);
    }
    if (!start_hog()) {
        task_end();
        return false;
    }
#endif
    interrupts_enable();
    return true;
}

void task_end(void)
{
    interrupts_disable();
    alarm_stop(ALARM_THREADS);
#if TARE_SMP
    if (is_shared()) {
        end_shared();
    }
#endif
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

#if TARE_SMP
        if (thread->state == THREAD_RUNNING && thread->processor != 0) {
            continue; /* task_trace_other() records it */
        }
#endif
        if (thread->state != THREAD_ENDED) {
            const uint8_t why = thread->state == THREAD_READY
                                    ? TRACE_WHY_REASON(trace_account_why(thread->id))
                                    : thread->why;

            trace_thread_is(thread->id, process_id(thread->process), thread->priority,
                            thread->state, why);
        }
    }
}

#if TARE_SMP
/* Returns the processor that keeps the others from going on, or that runs a thread; otherwise
 * PERCPU_MAX. */
static size_t find_busy(void)
{
    size_t busy = baton_holder();

    if (busy == 0 || busy >= session.settings.processors) {
        busy = 1;
        while (busy < session.settings.processors &&
               scheduler_running_on(busy)->id == TRACE_IDLE_THREAD) {
            busy++;
        }
    }
    return busy < session.settings.processors ? busy : PERCPU_MAX;
}

bool task_explain(char *reason, size_t size)
{
    const size_t busy = is_shared() ? find_busy() : PERCPU_MAX;
    const struct thread *waits = NULL;

    if (busy < PERCPU_MAX) {
        snprintf(reason, size,
                 "ended by the watchdog: processor %zu did not give up thread %s; see the crash "
                 "report",
                 busy, scheduler_running_on(busy)->name);
        return true;
    }
    for (size_t id = TRACE_BENCH_THREAD; is_shared() && id < threads_count(); id++) {
        const struct thread *thread = thread_by_id((uint16_t)id);

        if (thread->state == THREAD_READY && thread->processor != 0) {
            snprintf(reason, size,
                     "ended by the watchdog: thread %s is ready on processor %u, which is idle: "
                     "an interrupt between processors was lost",
                     thread->name, thread->processor);
            return true;
        }
        waits = thread->state == THREAD_WAITING && thread->waits_for != NULL ? thread : waits;
    }
    if (waits != NULL) {
        snprintf(
            reason, size,
            "ended by the watchdog: thread %s waits for a lock that thread %s does not release",
            waits->name, waits->waits_for->holder->name);
    }
    return waits != NULL;
}

void task_trace_other(size_t processor)
{
    const struct thread *running =
        session.active && processor < session.settings.processors ? scheduler_running() : NULL;

    if (running != NULL && running->id != TRACE_IDLE_THREAD) {
        trace_thread_is(running->id, process_id(running->process), running->priority,
                        THREAD_RUNNING, WAIT_NONE);
        trace_thread_is(TRACE_IDLE_THREAD, 0, THREAD_PRIORITY_IDLE, THREAD_READY, WAIT_NONE);
    } else {
        trace_thread_is(TRACE_IDLE_THREAD, 0, THREAD_PRIORITY_IDLE, THREAD_RUNNING, WAIT_NONE);
    }
}
#endif
