/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The policy of the scheduler (scheduler.h) on several processors, in the image tare-smp: on which
 * one a thread runs, for how long (its quantum), and how its priority moves (boosts).
 */
#if TARE_SMP

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/percpu.h"
#include "kernel/smp/baton.h"
#include "kernel/task/scheduler.h"
#include "kernel/task/thread.h"
#include "kernel/task/timer.h"

static struct balance_settings settings;

static PER_CPU struct timer slice PER_CPU_SECTION; /* ends the quantum of the running thread */
static PER_CPU bool slice_over PER_CPU_SECTION;
static PER_CPU uint64_t began PER_CPU_SECTION; /* when the running thread got the processor */

void balance_begin(const struct balance_settings *given)
{
    settings = *given;
}

/* ---- on which processor ---- */

static bool is_allowed(const struct thread *thread, size_t processor)
{
    return processor < settings.processors && (thread->affinity >> processor & 1) != 0;
}

/* Returns whether a processor runs its idle thread and no other thread is in its queue. */
static bool is_idle(size_t processor)
{
    const struct thread *running = scheduler_running_on(processor);

    return running != NULL && running->id == TRACE_IDLE_THREAD &&
           (scheduler_occupied(processor) & ~1u) == 0;
}

static size_t find_idle(const struct thread *thread)
{
    size_t processor = 0;

    while (processor < settings.processors &&
           !(is_allowed(thread, processor) && is_idle(processor))) {
        processor++;
    }
    return processor;
}

/* Returns the priority that a thread must exceed to run on a processor now. */
static uint8_t priority_on(size_t processor)
{
    const struct thread *running = scheduler_running_on(processor);
    const uint32_t occupied = scheduler_occupied(processor) | 1;
    const uint8_t ready = (uint8_t)(31 - __builtin_clz(occupied));

    return running != NULL && running->priority > ready ? running->priority : ready;
}

/* Returns how many threads of this priority or above run on a processor or are ready there. */
static size_t load_of(size_t processor, uint8_t priority)
{
    const struct thread *running = scheduler_running_on(processor);
    size_t load = running != NULL && running->priority >= priority ? 1 : 0;

    for (unsigned p = priority; p <= THREAD_PRIORITY_MAX; p++) {
        load += scheduler_ready_count(processor, (uint8_t)p);
    }
    return load;
}

static size_t choose(const struct thread *thread)
{
    const size_t last = thread->processor;
    const bool last_allowed = is_allowed(thread, last);
    const size_t idle = last_allowed && is_idle(last) ? last : find_idle(thread);
    size_t best = PERCPU_MAX;

    if (idle < settings.processors) {
        return idle;
    }
    if (last_allowed && thread->priority > priority_on(last)) {
        return last;
    }
    for (size_t i = 0; i < settings.processors; i++) {
        if (is_allowed(thread, i) && (best == PERCPU_MAX || priority_on(i) < priority_on(best))) {
            best = i;
        }
    }
    if (last_allowed && thread->priority <= priority_on(best)) {
        return last;
    }
    return best < PERCPU_MAX ? best : last;
}

static void move_to(struct thread *thread, size_t to)
{
    if (to != thread->processor) {
        trace_thread_migrate(thread->id, thread->processor, (uint8_t)to);
        thread->processor = (uint8_t)to;
    }
}

void balance_moved(struct thread *thread)
{
    trace_thread_migrate(thread->id, (uint8_t)percpu_number, thread->processor);
    balance_notify(thread);
}

void balance_place(struct thread *thread)
{
    thread->ready_since = tsc_read();
    move_to(thread, choose(thread));
}

void balance_place_new(struct thread *thread)
{
    size_t best = PERCPU_MAX;

    thread->ready_since = tsc_read();
    for (size_t i = 0; i < settings.processors; i++) {
        if (is_allowed(thread, i) && (best == PERCPU_MAX || load_of(i, thread->priority) <
                                                                load_of(best, thread->priority))) {
            best = i;
        }
    }
    move_to(thread, best < PERCPU_MAX ? best : thread->processor);
}

bool balance_push(struct thread *thread)
{
    const size_t idle = find_idle(thread);

    if (idle >= settings.processors) {
        return false;
    }
    thread->processor = (uint8_t)idle;
    return true;
}

void balance_expel(struct thread *thread)
{
    thread->processor = (uint8_t)choose(thread);
}

void balance_send(size_t to)
{
    if (to != percpu_number) {
        trace_ipi((uint8_t)to, IPI_RESCHEDULE);
        baton_send(to);
    }
}

void balance_notify(const struct thread *thread)
{
    const size_t to = thread->processor;
    const struct thread *running = scheduler_running_on(to);

    if (thread->state == THREAD_WAITING || running == NULL) {
        return;
    }
    if (to == percpu_number) {
        balance_check_quantum();
    } else if (thread->priority > running->priority ||
               (settings.quantum != 0 && (thread->priority == running->priority ||
                                          running->base_priority > running->static_priority)) ||
               (thread == running &&
                31u - (unsigned)__builtin_clz(scheduler_occupied(to) | 1) > thread->priority)) {
        balance_send(to);
    }
}

/* Takes the ready thread of highest priority from another processor's queue. */
static void steal(void)
{
    struct thread *best = NULL;

    for (size_t i = 0; i < settings.processors; i++) {
        struct thread *thread = i != percpu_number ? scheduler_first_for(i, percpu_number) : NULL;

        if (thread != NULL && (best == NULL || thread->priority > best->priority)) {
            best = thread;
        }
    }
    if (best != NULL) {
        scheduler_move(best, percpu_number);
    }
}

/* ---- for how long ---- */

static void end_slice(void *argument)
{
    (void)argument;
    slice_over = true;
}

/* Returns whether another thread waits for the end of the quantum: an equal, or one that outranks
 * the thread as soon as its boost has decayed. */
static bool is_awaited(const struct thread *thread)
{
    const bool boosted = thread->base_priority > thread->static_priority;

    return scheduler_occupied(percpu_number) >>
               (boosted ? thread->static_priority : thread->priority) !=
           0;
}

/* Sets the timer of the quantum of a thread that runs here if another waits for its end. */
static void check_quantum(const struct thread *thread)
{
    struct timer *timer = PER_CPU_HERE(struct timer, slice);

    if (settings.quantum != 0 && !timer->armed && !slice_over && thread->id != TRACE_IDLE_THREAD &&
        is_awaited(thread)) {
        timer_start(timer, began + thread->left, 0, end_slice, NULL);
    }
}

void balance_check_quantum(void)
{
    check_quantum(scheduler_running_on(percpu_number));
}

void balance_before_switch(struct thread *old, enum wait_reason reason)
{
    const uint64_t ran = tsc_read() - began;

    if (settings.quantum != 0) {
        timer_stop(PER_CPU_HERE(struct timer, slice));
        slice_over = false;
        old->left = reason != WAIT_QUANTUM && ran < old->left ? old->left - ran : 0;
    }
    if (old->state == THREAD_READY) {
        old->ready_since = tsc_read();
    }
    if ((scheduler_occupied(percpu_number) & ~1u) == 0) {
        steal();
    }
}

void balance_run(struct thread *next)
{
    began = tsc_read();
    if (next->left == 0) {
        next->left = settings.quantum;
    }
    check_quantum(next);
}

/* ---- with what priority ---- */

/* Changes the priority without locks, and with it the effective one. */
static void set_base(struct thread *thread, uint8_t priority, enum boost_reason why)
{
    const uint8_t before = thread->base_priority;
    const bool inherits = thread->priority > before;

    trace_thread_boost(thread->id, before, priority, (uint8_t)why);
    thread->base_priority = priority;
    if (!inherits || priority > thread->priority) {
        scheduler_set_priority(thread, priority);
    }
}

bool balance_quantum_over(struct thread *thread)
{
    if (!slice_over) {
        return false;
    }
    slice_over = false;
    thread->left = 0;
    trace_quantum(thread->id, 0);
    if (thread->base_priority > thread->static_priority) {
        set_base(thread, thread->base_priority - 1, BOOST_DECAY);
    }
    /* Its priority is lower now: a thread that outranks it may be ready instead of an equal. */
    return true;
}

static uint8_t boost_of(enum wait_reason wait, enum boost_reason *why)
{
    switch (wait) {
    case WAIT_QUEUE:
        *why = BOOST_INPUT;
        return 6;
    case WAIT_DISK:
        *why = BOOST_DISK;
        return 1;
    case WAIT_SLEEP:
        *why = BOOST_TIMER;
        return 1;
    case WAIT_MESSAGE:
    case WAIT_SPECIFIC:
    case WAIT_PIPE_EMPTY:
    case WAIT_PIPE_FULL:
    case WAIT_SEMAPHORE:
        *why = BOOST_WAIT;
        return 1;
    default:
        return 0;
    }
}

void balance_boost_woken(struct thread *thread)
{
    enum boost_reason why = BOOST_DECAY;
    const uint8_t boost = boost_of(thread->why, &why);
    uint8_t priority = thread->static_priority + boost;

    if (!settings.boosts || boost == 0 || thread->static_priority > BOOST_PRIORITY_MAX) {
        return;
    }
    priority = priority > BOOST_PRIORITY_MAX ? BOOST_PRIORITY_MAX : priority;
    if (priority > thread->base_priority) {
        set_base(thread, priority, why);
    }
}

void balance_rescue_starved(void)
{
    const uint64_t now = tsc_read();

    for (size_t id = TRACE_BENCH_THREAD + 1; settings.boosts && id < threads_count(); id++) {
        struct thread *thread = thread_by_id((uint16_t)id);

        if (thread->state == THREAD_READY && thread->base_priority < BOOST_PRIORITY_MAX &&
            now - thread->ready_since > STARVED_QUANTA * settings.quantum) {
            set_base(thread, BOOST_PRIORITY_MAX, BOOST_STARVED);
        }
    }
}

#endif
