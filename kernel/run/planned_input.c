/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/planned_input.h"

#include <stdio.h>
#include <string.h>

#include "kernel/input/script.h"
#include "kernel/link/link.h"
#include "kernel/link/names.h"
#include "kernel/plan/names.h"
#include "kernel/plan/number.h"
#include "kernel/run/bench_run.h"

#define WAIT_MS_DEFAULT 3000
/* Some 100 days: in exact mode the guest's time may run a thousand times as fast as the host's. */
#define WAIT_MS_MAX 10000000000ull

static struct bench_input input = {.wait_ms = WAIT_MS_DEFAULT};

const struct bench_input *bench_input(void)
{
    return &input;
}

static bool check_script(struct plan *plan, char error[PLAN_ERROR_MAX])
{
    const char *script = plan_value(plan, KEY_INPUT_SCRIPT);
    char why[SCRIPT_ERROR_MAX];
    size_t count;

    if (script == NULL ||
        script_read(script, strlen(script), NULL, SCRIPT_EVENTS_MAX, &count, why)) {
        return true;
    }
    snprintf(error, PLAN_ERROR_MAX, "input.script: %s", why);
    return false;
}

bool planned_input_read(struct plan *plan, char error[PLAN_ERROR_MAX])
{
    const char *source = plan_value(plan, KEY_INPUT_SOURCE);
    const char *wait_ms = plan_value(plan, KEY_INPUT_WAIT_MS);

    if (source != NULL && strcmp(source, "loopback") != 0 &&
        strcmp(source, PLAN_INPUT_OUTSIDE) != 0) {
        snprintf(error, PLAN_ERROR_MAX, "input.source=%.40s: must be one of loopback,outside",
                 source);
        return false;
    }
    if (wait_ms != NULL &&
        (!parse_unsigned(wait_ms, &input.wait_ms) || input.wait_ms > WAIT_MS_MAX)) {
        snprintf(error, PLAN_ERROR_MAX, "input.wait_ms=%.40s: must be a number up to %llu", wait_ms,
                 WAIT_MS_MAX);
        return false;
    }
    input.outside = source != NULL && strcmp(source, PLAN_INPUT_OUTSIDE) == 0;
    return check_script(plan, error);
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
