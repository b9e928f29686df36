/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/window/segmented.h"

#include <stddef.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/task/locks.h"
#include "kernel/task/segments.h"
#include "kernel/task/thread.h"

#define SLICE_US     100
#define DAEMON_NAME  "window_daemon"
#define DAEMON_WORK  "window_work"
#define REQUESTS_AT  40
#define REQUEST_SIZE 48

/* Defined in segmented.S. */
extern const uint8_t segmented_code[] __attribute__((visibility("hidden")));
extern const uint8_t segmented_code_end[] __attribute__((visibility("hidden")));

/* segmented.S uses these numbers. */
_Static_assert(SELECTOR_SEGMENT_CODE == 0x4b && SELECTOR_SEGMENT_DATA == 0x53 &&
                   SELECTOR_SEGMENT_EXTRA == 0x5b && SELECTOR_SEGMENT_STACK == 0x63 &&
                   SELECTOR_USER_DATA == 0x1b && SEGMENTS_CODE == 0 && SEGMENTS_END == 0x4000,
               "segmented.S knows them");
_Static_assert(offsetof(struct batch, request) == REQUESTS_AT &&
                   sizeof(struct request) == REQUEST_SIZE,
               "segmented.S knows them");

static struct {
    struct thread *thread; /* NULL: there is no daemon */
    struct semaphore work;
    const struct window_shared *shared;
    uint64_t slices; /* slices of work after a burst */
    volatile uint64_t inputs;
    volatile bool ends;
} behind;

static struct {
    struct thread *thread; /* NULL: there are no chores */
    uint64_t every;        /* ticks from one chore to the next */
    uint64_t work_us;
    uint64_t done;
    uint64_t ticks;
} chores;

/* Does the chores of a system that is never quite idle, before the application's work. */
static void do_chores(void *argument)
{
    uint64_t due = tsc_read();

    (void)argument;
    while (thread_sleep_until(due += chores.every), !behind.ends) {
        const uint64_t begin = tsc_read();

        window_spin(behind.shared, chores.work_us);
        chores.ticks += tsc_read() - begin;
        chores.done++;
    }
}

static const char *begin_chores(const struct window_settings *settings)
{
    chores.every = clock_ticks_from_us(settings->chore_us);
    chores.work_us = settings->chore_work_us;
    chores.thread = thread_create("window_chores", settings->priority + 1, do_chores, NULL);
    return chores.thread != NULL ? NULL : "no memory for threads";
}

/* The daemon. Its priority is lower than the application's, so it runs only while the application
 * waits. */
static void work_behind(void *argument)
{
    uint64_t seen = 0;

    (void)argument;
    while (!behind.ends) {
        semaphore_wait(&behind.work);
        for (uint64_t left = seen != behind.inputs ? behind.slices : 0; left > 0 && !behind.ends;
             left--) {
            if (seen != behind.inputs || behind.shared->locked != 0) {
                seen = behind.inputs;
                left = behind.slices;
            }
            window_spin(behind.shared, SLICE_US);
        }
    }
}

static const char *begin_daemon(const struct window_settings *settings)
{
    behind.slices = settings->daemon_us / SLICE_US;
    semaphore_init(&behind.work, DAEMON_WORK, 0);
    behind.thread = thread_create(DAEMON_NAME, settings->priority - 1, work_behind, NULL);
    return behind.thread != NULL ? NULL : "no memory for threads";
}

static const char *begin(const struct window_settings *settings, const struct window_parts *parts)
{
    memset(&chores, 0, sizeof(chores));
    behind.thread = NULL;
    behind.shared = parts->shared;
    behind.inputs = 0;
    behind.ends = false;
    const char *why =
        segments_give(parts->process, segmented_code, (size_t)(segmented_code_end - segmented_code),
                      &parts->shared->segment_entry);

    if (why != NULL) {
        return why;
    }
    if (!section_show(&parts->list, parts->process, WINDOW_LIST_AT)) {
        return "no memory for the application";
    }
    why = settings->daemon_us >= SLICE_US ? begin_daemon(settings) : NULL;
    return why == NULL && settings->chore_us > 0 ? begin_chores(settings) : why;
}

static void taken(const struct window_parts *parts, const struct queue_message *message)
{
    (void)parts;
    if (behind.thread != NULL && message->number != 0) {
        behind.inputs++;
        if (behind.work.count == 0) {
            semaphore_post(&behind.work);
        }
    }
}

static void count(const struct window_parts *parts, struct window_counts *counts)
{
    counts->far_calls = parts->shared->far_calls;
    counts->segment_loads =
        SEGMENTED_LOADS * parts->shared->far_calls + SEGMENTED_WALK * parts->shared->records;
    counts->unaligned = SEGMENTED_UNALIGNED * parts->shared->records;
    counts->chores = chores.done;
    counts->chore_ticks = chores.ticks;
}

static void end(void)
{
    behind.ends = true;
    if (chores.thread != NULL) {
        thread_join(chores.thread);
    }
    if (behind.thread != NULL) {
        semaphore_post(&behind.work);
        thread_join(behind.thread);
    }
}

const struct window_operations segmented_operations = {
    .begin = begin, .taken = taken, .count = count, .end = end};
