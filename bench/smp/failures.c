/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench failures: makes a session on several processors fail on purpose, to verify on a machine
 * that the failure ends this bench only, by its name. Runs only if the plan asks for it.
 */
#include "bench/smp/smp.h"
#include "kernel/smp/baton.h"
#include "kernel/smp/processor.h"

#define PRIORITY    10
#define OTHER       1 /* the processor that fails */
#define WATCHDOG_US 200000
#define SHORT_US    1000
#define LOCKED_US   50000 /* by then the other thread has the lock, on a busy host too */

enum failure { EXCEPTION, HANG, VANISH, LOST_INTERRUPT, HELD_LOCK };

static struct mutex mutex;

/* The thread on the processor that fails. */
static void fail(void *argument)
{
    switch ((enum failure)(size_t)argument) {
    case EXCEPTION:
        __asm__ volatile("ud2");
        break;
    case HANG: /* in exact time, it holds the baton as well */
        interrupts_disable();
        for (;;) {
            __asm__ volatile(""); /* keeps the compiler from removing the loop */
        }
    case VANISH:
        smp_hog(&(uint64_t){UINT64_MAX});
        break;
    case HELD_LOCK:
        mutex_lock(&mutex);
        break;
    case LOST_INTERRUPT:
        break;
    }
}

static void want_lock(void *argument)
{
    (void)argument;
    smp_sleep(clock_ticks_from_us(LOCKED_US));
    mutex_lock(&mutex);
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
    if (failure == LOST_INTERRUPT) {
        baton_lose_next();
    }
    struct thread *failing =
        thread_create_on("failing", PRIORITY, 1ull << OTHER, fail, (void *)(size_t)failure);

    if (failure == HELD_LOCK) {
        failing = thread_create_on("waiting", PRIORITY, 1, want_lock, NULL);
    }
    smp_sleep(clock_ticks_from_us(SHORT_US));
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
    SMP_BENCH,
    .name = "failures",
    .summary = "failures on purpose of a session on several processors",
    .estimate =
        "the bench ends as CRASH, with the reason that the parameter names; later benches run",
    .on_request = true,
};
BENCH_REGISTER(failures);
