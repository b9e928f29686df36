/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/bench_run.h"

#include "kernel/link/record.h"

static const char *const state_names[] = {
    [BENCH_OK] = "OK",     [BENCH_SKIP] = "SKIP",   [BENCH_ERROR] = "ERROR",
    [BENCH_FAIL] = "FAIL", [BENCH_CRASH] = "CRASH",
};

const char *bench_state_name(enum bench_state state)
{
    return state_names[state];
}

void bench_record(struct record_writer *record, const char *name, const struct bench_run *run)
{
    record_begin(record, name);
    record_text(record, "bench", run->bench->name);
    if (run->pass != 0) {
        record_unsigned(record, "pass", run->pass);
    }
}
