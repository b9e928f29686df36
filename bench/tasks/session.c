/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/tasks/session.h"

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"

#define WATCHDOG_US     10000000
#define WATCHDOG_FACTOR 4
#define SPARE_SAMPLES   64 /* samples for the time while threads are created and ended */
/* the last sample is awaited in steps of a sample's length divided by this */
#define SAMPLE_PARTS 4
/* largest number of these steps; four would be too few because interrupts lengthen the sample */
#define SAMPLE_WAITS 8

/* Returns twice the number of samples that fit into the given length. */
static size_t idle_capacity(const struct session *session)
{
    return (size_t)(2 * session->length_us / session->sample_us) + SPARE_SAMPLES;
}

enum bench_state session_begin(struct bench_run *run, struct session *session)
{
    const size_t capacity = idle_capacity(session);
    const enum bench_state state = bench_calibrate(run, session->sample_us, &session->calibration);

    if (state != BENCH_OK) {
        return state;
    }
    session->idle_rows = bench_rows(capacity + 1);
    if (session->idle_rows == NULL) {
        return bench_error(run, "no memory for %zu idle samples", capacity);
    }
    const struct task_settings settings = {
        .idle_inner = session->calibration.inner,
        .idle_rows = session->idle_rows,
        .idle_capacity = capacity,
        .tick_period = session->tick_period,
        .watchdog = clock_ticks_from_us(WATCHDOG_FACTOR * session->length_us + WATCHDOG_US),
    };

    if (!bench_trace_begin(run)) {
        return BENCH_ERROR;
    }
    if (!task_begin(&settings)) {
        bench_trace_end(run);
        return session_no_threads(run);
    }
    return BENCH_OK;
}

/* Waits for the current sample to end, because only complete samples are kept, and this one covers
 * everything done since its start. A machine that was never idle has no samples. */
static void complete_sample(const struct session *session)
{
    const size_t complete = task_idle_samples();

    for (int i = 0;
         i < SAMPLE_WAITS && session->idle_rows[0] != 0 && task_idle_samples() == complete; i++) {
        thread_sleep_until(tsc_read() + session->calibration.sample_ticks / SAMPLE_PARTS);
    }
}

enum bench_state session_end(struct bench_run *run, const struct session *session,
                             enum bench_state state)
{
    if (state == BENCH_OK) {
        complete_sample(session);
    }
    task_end();
    const size_t samples = task_idle_samples();

    if ((!bench_trace_end(run) || !bench_publish_idle(run, session->idle_rows, samples)) &&
        state == BENCH_OK) {
        return bench_error(run, "no memory for sending the trace or the idle samples");
    }
    return state;
}

/* Returns whether the idle loop, which is that of processor 0, shows the work of the bench alone.
 */
static bool shows_work(void)
{
#if TARE_SMP
    return task_processors_planned() == 1;
#else
    return true;
#endif
}

bool session_busy(const struct session *session, uint64_t *ticks)
{
    const size_t samples = task_idle_samples();

    if (samples == 0 || samples >= idle_capacity(session) || !shows_work()) {
        return false;
    }
    const uint64_t begin = (uint64_t)*bench_row(session->idle_rows, 0);
    const uint64_t end = (uint64_t)*bench_row(session->idle_rows, samples);
    const uint64_t idle = samples * session->calibration.sample_ticks;

    *ticks = end - begin > idle ? end - begin - idle : 0;
    return true;
}

bool session_busy_between(const struct session *session, uint64_t from, uint64_t to,
                          uint64_t *ticks)
{
    const size_t samples = task_idle_samples();

    if (samples == 0 || samples >= idle_capacity(session) || !shows_work()) {
        return false;
    }
    *ticks = 0;
    for (size_t i = 0; i < samples; i++) {
        const uint64_t begin = (uint64_t)*bench_row(session->idle_rows, i);
        const uint64_t end = (uint64_t)*bench_row(session->idle_rows, i + 1);
        const uint64_t idle = session->calibration.sample_ticks;

        if (end > from && begin < to && end - begin > idle) {
            *ticks += end - begin - idle;
        }
    }
    return true;
}

enum bench_state session_no_threads(struct bench_run *run)
{
    return bench_error(run, "no memory for threads");
}
