/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench failures: makes a session on several processors fail on purpose, to verify on a machine
 * that the failure ends this bench only, by its name. Runs only if the plan asks for it.
 */
#include "bench/smp/names.h"
#include "kernel/clock/clock.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/smp/baton.h"
#include "kernel/smp/processor.h"
#include "kernel/task/locks.h"
#include "kernel/task/session.h"
#include "kernel/task/thread.h"

#define PRIORITY    10
#define OTHER       1 /* the processor that fails */
#define WATCHDOG_US 200000
#define SHORT_US    1000

enum failure { EXCEPTION, HANG, VANISH, LOST_INTERRUPT, HELD_LOCK };

static struct mutex mutex;

static void raise_exception(void *argument)
{
    (void)argument;
    __asm__ volatile("ud2");
}

/* Keeps interrupts off for ever; in exact time, it holds the baton as well. */
static void hang(void *argument)
{
    (void)argument;
    interrupts_disable();
    for (;;) {
        __asm__ volatile(""); /* keeps the compiler from removing the loop */
    }
}

static void do_nothing(void *argument)
{
    (void)argument;
}

static void take_lock(void *argument)
{
    (void)argument;
    mutex_lock(&mutex);
}

static void sleep_then_lock(void *argument)
{
    thread_sleep_until(tsc_read() + clock_ticks_from_us(SHORT_US));
    take_lock(argument);
}

static void compute(void *argument)
{
    (void)argument;
    for (;;) {
        idle_loop_spin(1000);
    }
}

static struct thread *start_failure(enum failure failure)
{
    static thread_entry *const entries[] = {
        [EXCEPTION] = raise_exception, [HANG] = hang,           [VANISH] = compute,
        [LOST_INTERRUPT] = do_nothing, [HELD_LOCK] = take_lock,
    };

    if (failure == LOST_INTERRUPT) {
        baton_lose_next();
    }
    return thread_create_on("failing", PRIORITY, 1ull << OTHER, entries[failure], NULL);
}

static enum bench_state run(struct bench_run *run)
{
    const enum failure failure = (enum failure)bench_word(run, "kind");
    const struct task_settings settings = {.processors = OTHER + 1,
                                           .watchdog = clock_ticks_from_us(WATCHDOG_US)};

    if (task_processors_max() <= OTHER) {
        return bench_skip(run, "a second processor is needed");
    }
    if (!task_begin(&settings)) {
        return bench_error(run, "no memory for threads");
    }
    mutex_init(&mutex, "never released", false);
    struct thread *failing = start_failure(failure);

    if (failure == HELD_LOCK) {
        failing = thread_create_on("waiting", PRIORITY, 1, sleep_then_lock, NULL);
    }
    thread_sleep_until(tsc_read() + clock_ticks_from_us(SHORT_US));
    if (failure == VANISH) {
        processor_vanish(OTHER);
    }
    thread_join(failing);
    task_end();
    return bench_fail(run, "the failure did not end the bench");
}

static const struct bench_param params[] = {
    {"kind", "exception",
     "what fails: exception (a thread on processor 1 executes an invalid opcode), hang (it keeps "
     "interrupts off for ever), vanish (the processor stops), interrupt (one between processors is "
     "lost), lock (a thread ends with a lock that another wants)",
     PARAM_WORD("exception,hang,vanish,interrupt,lock")},
    {0},
};

static const struct bench failures = {
    .name = "failures",
    .group = GROUP_SMP,
    .summary = "failures on purpose of a session on several processors",
    .unit = UNIT_TICK,
    .estimate =
        "the bench ends as CRASH, with the reason that the parameter names; later benches run",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER | NEED_PROCESSORS,
    .on_request = true,
    .params = params,
    .run = run,
};
BENCH_REGISTER(failures);
