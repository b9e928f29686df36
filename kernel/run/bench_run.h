/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run of a bench as the runner and the functions of bench.h share it; benches do not look inside.
 */
#pragma once

#include "kernel/run/bench.h"

#define BENCH_REASON_MAX 160

struct bench_run {
    const struct bench *bench;
    unsigned pass; /* of its repetitions for counting; 0: there is only one */
    char reason[BENCH_REASON_MAX + 1];
};

/* Begins a record that carries bench and pass. */
struct record_writer;
void bench_record(struct record_writer *record, const char *name, const struct bench_run *run);

/* "OK", "SKIP", ... */
const char *bench_state_name(enum bench_state state);
