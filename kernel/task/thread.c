/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/thread.h"

#include "kernel/cpu/cpu.h"
#include "kernel/task/process_space.h"
#include "kernel/task/timer.h"
#include "kernel/trace/account.h"
#include "kernel/trace/object.h"

#define STACK_BYTES (16u << 10)

_Static_assert(THREADS_MAX <= ACCOUNT_THREADS, "an account for each thread");

static struct thread threads[THREADS_MAX];
static size_t thread_count;

/* Stack i is created once and serves thread i of every bench. */
static struct stack stacks[THREADS_MAX];

void threads_forget(void)
{
    thread_count = TRACE_BENCH_THREAD + 1;
}

size_t threads_count(void)
{
    return thread_count;
}

static _Noreturn void thread_main(void)
{
    struct thread *self = scheduler_running();

    interrupts_enable();
    self->entry(self->argument);
    thread_exit();
}

/* Prepares the stack: it holds the registers that thread_switch_stack() pops, then the return
 * address, so that thread_main() finds the stack as after a call. */
static bool give_stack(struct thread *thread)
{
    struct stack *stack = &stacks[thread->id];

    if (stack->top == 0 && !paging_stack_create(STACK_BYTES, stack)) {
        return false;
    }
    uint64_t *top = (uint64_t *)(uintptr_t)stack->top;

    for (int i = 1; i <= 8; i++) {
        top[-i] = 0;
    }
    top[-2] = (uint64_t)(uintptr_t)thread_main;
    thread->rsp = (uint64_t)(uintptr_t)(top - 8);
    thread->stack = *stack;
    return true;
}

struct thread *thread_reserve(uint16_t id, const char *name, unsigned priority)
{
    struct thread *thread = &threads[id];

    *thread = (struct thread)
    {
        .id = id, .priority = (uint8_t)priority, .base_priority = (uint8_t)priority, .name = name,
#if TARE_SMP
        .affinity = ~0ull, .processor = (uint8_t)percpu_number,
        .static_priority = (uint8_t)priority,
#endif
    };
    return thread;
}

void thread_name_object(const struct thread *thread)
{
    const struct trace_object object = {.kind = OBJECT_THREAD,
                                        .id = thread->id,
                                        .name = thread->name,
                                        .process = process_id(thread->process),
                                        .priority = thread->priority};

    trace_object_set(&object);
}

bool thread_prepare(struct thread *thread, thread_entry *entry, void *argument)
{
    thread->entry = entry;
    thread->argument = argument;
    return give_stack(thread);
}

#if TARE_SMP
static uint64_t affinity_of_next = ~0ull;

struct thread *thread_create_on(const char *name, unsigned priority, uint64_t affinity,
                                thread_entry *entry, void *argument)
{
    const uint64_t flags = interrupts_save();

    affinity_of_next = affinity;
    struct thread *thread = thread_create_in(name, priority, NULL, entry, argument);

    affinity_of_next = ~0ull;
    scheduler_settle();
    interrupts_restore(flags);
    return thread;
}

void thread_set_affinity(struct thread *thread, uint64_t affinity)
{
    const uint64_t flags = interrupts_save();

    scheduler_set_affinity(thread, affinity);
    scheduler_settle();
    interrupts_restore(flags);
}

size_t thread_processor(void)
{
    return percpu_number;
}
#endif

struct thread *thread_create_in(const char *name, unsigned priority, struct process *process,
                                thread_entry *start, void *argument)
{
    if (thread_count == THREADS_MAX) {
        return NULL;
    }
    struct thread *thread = thread_reserve((uint16_t)thread_count, name, priority);

    if (!thread_prepare(thread, start, argument)) {
        return NULL;
    }
    thread_count++;
    thread->process = process;
#if TARE_SMP
    thread->affinity = affinity_of_next;
#endif
    thread_name_object(thread);
    trace_thread_start(thread->id, process_id(process), thread->priority);
    trace_thread_ready(thread->id, scheduler_by());
    scheduler_admit(thread);
    return thread;
}

struct thread *thread_create(const char *name, unsigned priority, thread_entry *entry,
                             void *argument)
{
    const uint64_t flags = interrupts_save();
    struct thread *thread = thread_create_in(name, priority, NULL, entry, argument);

    scheduler_settle();
    interrupts_restore(flags);
    return thread;
}

struct thread *thread_current(void)
{
    return scheduler_running();
}

uint16_t thread_id(const struct thread *thread)
{
    return thread->id;
}

const char *thread_name(const struct thread *thread)
{
    return thread->name;
}

struct thread *thread_by_id(uint16_t id)
{
    return id < thread_count ? &threads[id] : NULL;
}

static bool is_name(const char *name, const char *wanted)
{
    while (*name != '\0' && *name == *wanted) {
        name++;
        wanted++;
    }
    return *name == *wanted;
}

struct thread *thread_by_name(const char *name)
{
    for (size_t i = 0; i < thread_count; i++) {
        if (is_name(threads[i].name, name)) {
            return &threads[i];
        }
    }
    return NULL;
}

bool thread_waits(const struct thread *thread)
{
    return thread->state == THREAD_WAITING;
}

uint64_t thread_charged(const struct thread *thread)
{
    return thread->charged;
}

_Noreturn void thread_exit(void)
{
    struct thread *self = scheduler_running();

    interrupts_disable();
    while (scheduler_wake_first(&self->joiners) != NULL) {
    }
    scheduler_end();
    __builtin_unreachable();
}

void thread_join(struct thread *thread)
{
    const uint64_t flags = interrupts_save();

    if (thread->state != THREAD_ENDED) {
        scheduler_wait(&thread->joiners, WAIT_JOIN);
    }
    interrupts_restore(flags);
}

void thread_yield(void)
{
    const uint64_t flags = interrupts_save();

    scheduler_yield();
    interrupts_restore(flags);
}

static void wake_sleeper(void *argument)
{
    const uint64_t flags = interrupts_save();

    scheduler_wake(argument);
    interrupts_restore(flags);
}

void thread_sleep_until(uint64_t deadline)
{
    struct timer timer;
    const uint64_t flags = interrupts_save();

    if (deadline > tsc_read()) {
        timer_start(&timer, deadline, 0, wake_sleeper, scheduler_running());
        scheduler_wait(NULL, WAIT_SLEEP);
    }
    interrupts_restore(flags);
}
