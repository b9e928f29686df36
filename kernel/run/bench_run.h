/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a bench that runs, shared by the runner and the functions of bench.h. Benches do not
 * look inside.
 */
#pragma once

#include "kernel/run/bench.h"

#define BENCH_REASON_MAX 160

struct bench_run {
    const struct bench *bench;
    /* number of this repetition, from 1, if the bench is repeated to count all events; 0: the bench
     * runs once */
    unsigned pass;
    char reason[BENCH_REASON_MAX + 1];
};

/* Begins a record that has the fields bench and pass. */
struct record_writer;
void bench_record(struct record_writer *record, const char *name, const struct bench_run *run);

/* Returns "OK", "SKIP" and so on. */
const char *bench_state_name(enum bench_state state);
