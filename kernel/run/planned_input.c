/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/planned_input.h"

#include "kernel/link/link.h"
#include "kernel/link/names.h"
#include "kernel/run/bench_run.h"

static struct bench_input input;

const struct bench_input *bench_input(void)
{
    return &input;
}

void planned_input_use(const struct run_settings *settings)
{
    input = (struct bench_input){settings->input_outside, settings->input_wait_ms};
}

void bench_await_input(const struct bench_run *run)
{
    struct record_writer record;

    bench_record(&record, RECORD_INPUT, run);
    record_text(&record, FIELD_STATE, STATE_READY_FOR_INPUT);
    link_record(&record);
    link_text("tare: %s: type now: %s", run->bench->name, bench_text(run, "script"));
    link_drain();
}
