/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the benches of threads share: a traced session (kernel/task/session.h) whose idle thread is
 * the calibrated idle loop, so that trace and idle loop can be compared.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/run/bench.h"
#include "kernel/task/session.h"

struct session {
    uint64_t sample_us;   /* length of a sample of the idle loop */
    uint64_t tick_period; /* period of sampled accounting, in TSC ticks; 0: no clock tick */
    /* approximate length; the session is ended by force after four times that plus 10 s */
    uint64_t length_us;
    /* set by session_begin() */
    struct idle_calibration calibration;
    int64_t *idle_rows;
};

/* Calibrates the idle loop, starts the trace and then the session. Returns BENCH_OK, or the bench's
 * result; then nothing has been started. */
enum bench_state session_begin(struct bench_run *run, struct session *session);

/* Ends both when the idle loop has completed its current sample, and publishes the trace and the
 * idle loop's samples. Returns `state`, or if that is BENCH_OK, the state of an error here. */
enum bench_state session_end(struct bench_run *run, const struct session *session,
                             enum bench_state state);

/* Returns in *ticks the time that the idle loop did not get, from the start of its first sample to
 * the end of its last: what threads, interrupts and the kernel took. Returns false if it has no
 * sample, its array of samples is full, or tasks.cpus of the plan is not 1. Call after
 * session_end(). */
bool session_busy(const struct session *session, uint64_t *ticks);

/* Does the same for the samples that overlap the time between two TSC values. */
bool session_busy_between(const struct session *session, uint64_t from, uint64_t to,
                          uint64_t *ticks);

/* Ends the bench with the reason "no memory for threads". */
enum bench_state session_no_threads(struct bench_run *run);
