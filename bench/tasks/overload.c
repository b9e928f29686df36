/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench overload: more events than the trace buffer holds. A thread records marks as fast as it can
 * and counts them itself; first into a buffer that discards new records when it is full, then into
 * one that overwrites the oldest.
 *
 * Nothing else happens meanwhile: there is no clock tick, and the bench waits. So the records that
 * the recorder kept, discarded and overwrote must add up to the marks made plus the few records of
 * the session before and after them. These few are the same in both parts: the first part keeps
 * those before the marks, the second those after.
 */
#include "bench/tasks/names.h"
#include "kernel/clock/clock.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/task/session.h"
#include "kernel/task/thread.h"
#include "kernel/trace/object.h"
#include "kernel/trace/recorder.h"

#define PRIORITY        10
#define KIBIBYTE        1024
#define WATCHDOG_US     10000000
#define SESSION_RECORDS 64  /* upper limit for the records of the session itself */
#define MARK_MAX_US     100 /* longer than a mark takes even on a slow emulator */

static struct {
    uint64_t marks;
    volatile uint64_t made;
    uint16_t mark;
} producer;

static void produce(void *argument)
{
    (void)argument;
    for (uint64_t i = 0; i < producer.marks; i++) {
        trace_mark(producer.mark, i);
        producer.made++;
    }
}

static enum bench_state run_session(struct bench_run *run)
{
    const struct task_settings settings = {
        .watchdog = clock_ticks_from_us(WATCHDOG_US + producer.marks * MARK_MAX_US),
    };

    if (!task_begin(&settings)) {
        return bench_error(run, "no memory for threads");
    }
    producer.made = 0;
    producer.mark = trace_object_add(OBJECT_MARK, MARK_PRODUCED);
    struct thread *thread = thread_create("producer", PRIORITY, produce, NULL);

    if (thread != NULL) {
        thread_join(thread);
    }
    task_end();
    return thread != NULL ? BENCH_OK : bench_error(run, "no memory for a thread");
}

/* Checks that every mark was kept or counted as lost, and that there are no other records than the
 * session's: its threads, their switches, and the interrupts of the host's clock, if any. */
static enum bench_state judge(struct bench_run *run)
{
    struct recorder_result result;

    recorder_result(&result);
    const uint64_t records = result.kept + result.discarded + result.overwritten;
    const uint64_t most = producer.made + (bench_is_exact() ? SESSION_RECORDS : producer.made);

    if (records < producer.made || records > most) {
        return bench_fail(run,
                          "%lu records kept, %lu discarded and %lu overwritten do not add up to "
                          "the %lu marks made",
                          result.kept, result.discarded, result.overwritten, producer.made);
    }
    return BENCH_OK;
}

/* Runs one part of the trace. */
static enum bench_state run_part(struct bench_run *run, enum recorder_mode mode, const char *fact)
{
    if (!bench_trace_begin_mode(run, mode, bench_number(run, "buffer_kib") * KIBIBYTE)) {
        return BENCH_ERROR;
    }
    const enum bench_state state = run_session(run);

    if (!bench_trace_end(run) && state == BENCH_OK) {
        return bench_error(run, "no memory for sending the trace");
    }
    if (state != BENCH_OK) {
        return state;
    }
    bench_fact(run, fact, UNIT_COUNT, (int64_t)producer.made);
    return judge(run);
}

static enum bench_state run(struct bench_run *run)
{
    producer.marks = bench_number(run, "events");
    enum bench_state state = run_part(run, RECORDER_STOP, MARK_PRODUCED "_" TRACE_MODE_STOP);

    if (state == BENCH_OK) {
        state = run_part(run, RECORDER_OVERWRITE, MARK_PRODUCED "_" TRACE_MODE_OVERWRITE);
    }
    return state == BENCH_OK ? bench_ok(run) : state;
}

static const struct bench_param params[] = {
    {"events", "200000", "marks in each part", PARAM_NUMBER(1, 1000000000)},
    {"buffer_kib", "64", "size of the trace buffer in KiB", PARAM_NUMBER(16, 1048576)},
    {0},
};

static const struct bench overload = {
    .name = BENCH_OVERLOAD,
    .group = "tasks",
    .summary = "checks that the recorder keeps or counts every event when its buffer is full",
    .unit = UNIT_COUNT,
    .estimate = "a mark takes 14 bytes: 64 KiB keep about 4600 of 200000, the first ones in one "
                "part and the last ones in the other; none is missing from the sum",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(overload);
