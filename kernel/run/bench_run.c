/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/bench_run.h"

#include "kernel/link/names.h"
#include "kernel/link/record.h"
#include "kernel/run/names.h"

static const char *const state_names[] = {
    [BENCH_OK] = STATE_OK,     [BENCH_SKIP] = STATE_SKIP,   [BENCH_ERROR] = STATE_ERROR,
    [BENCH_FAIL] = STATE_FAIL, [BENCH_CRASH] = STATE_CRASH,
};

const char *bench_state_name(enum bench_state state)
{
    return state_names[state];
}

void bench_record(struct record_writer *record, const char *name, const struct bench_run *run)
{
    record_begin(record, name);
    record_text(record, FIELD_BENCH, run->bench->name);
    if (run->pass != 0) {
        record_unsigned(record, FIELD_PASS, run->pass);
    }
}
