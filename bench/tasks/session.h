/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What benches of threads share: a traced session (kernel/task/session.h) whose idle thread is the
 * calibrated idle loop, so that both can be compared.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/run/bench.h"
#include "kernel/task/session.h"

struct session {
    uint64_t sample_us;   /* of the idle loop */
    uint64_t tick_period; /* of sampled accounting, in TSC ticks; 0: no clock tick */
    uint64_t length_us;   /* about; it is ended by force after four times that and 10 s more */
    /* By session_begin(): */
    struct idle_calibration calibration;
    int64_t *idle_rows;
};

/* Calibrates the idle loop, begins the trace and then the session. BENCH_OK, or the bench's result:
 * nothing has begun then. */
enum bench_state session_begin(struct bench_run *run, struct session *session);

/* Ends both, once the idle loop has ended the sample that it is in; publishes the trace and the
 * idle loop's samples. Returns `state`, or where that is BENCH_OK what went wrong here. */
enum bench_state session_end(struct bench_run *run, const struct session *session,
                             enum bench_state state);

/* Ticks that the idle loop did not get, from the begin of its first sample to the end of its last:
 * what threads, interrupts and the kernel took. False: it has no sample, or no room for another.
 * After session_end(). */
bool session_busy(const struct session *session, uint64_t *ticks);

/* The same of the samples that hold any of the time between two readings of the TSC. */
bool session_busy_between(const struct session *session, uint64_t from, uint64_t to,
                          uint64_t *ticks);

/* "no memory for threads". */
enum bench_state session_no_threads(struct bench_run *run);
