/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/planned_input.h"

#include <stdio.h>
#include <string.h>

#include "kernel/input/input.h"
#include "kernel/link/link.h"
#include "kernel/link/names.h"
#include "kernel/plan/names.h"
#include "kernel/run/bench_run.h"
#include "kernel/run/names.h"

#define REASON_MAX 120

static struct bench_input input;

const struct bench_input *bench_input(void)
{
    return &input;
}

void planned_input_use(const struct run_settings *settings)
{
    const char *source = settings->input_source;

    input = (struct bench_input){strcmp(source, PLAN_INPUT_OUTSIDE) == 0, settings->input_wait_ms,
                                 strcmp(source, PLAN_INPUT_LOOPBACK) == 0,
                                 strcmp(source, PLAN_INPUT_TIMER) == 0};
}

/* Why the script has no way through the keyboard controller; NULL: it has. */
static const char *no_way(const bool needs[I8042_PORTS], char *text, size_t size)
{
    static const char *const names[I8042_PORTS] = {"keyboard", "mouse"};

    input_use(INPUT_FROM_I8042);
    const struct i8042 *controller = input_controller();

    if (!controller->present) {
        snprintf(text, size, "no i8042 on this machine: %s", controller->reason);
        return text;
    }
    for (enum i8042_port port = 0; port < I8042_PORTS; port++) {
        const bool lacks =
            input.outside ? !controller->attached[port] : !controller->loopback[port];

        if (needs[port] && lacks && input.outside) {
            snprintf(text, size, "no %s answers", names[port]);
            return text;
        }
        if (needs[port] && lacks) {
            snprintf(text, size, "no loop-back of the %s: %s", names[port],
                     controller->without[port]);
            return text;
        }
    }
    return input_unreachable();
}

const char *bench_choose_input(const struct bench_run *run, bool keyboard, bool mouse)
{
    const bool needs[I8042_PORTS] = {[I8042_KEYBOARD] = keyboard, [I8042_MOUSE] = mouse};
    static char why[REASON_MAX];
    static char found[REASON_MAX + sizeof(FROM_TIMER)];
    const char *reason =
        input.timer ? KEY_INPUT_SOURCE "=" PLAN_INPUT_TIMER : no_way(needs, why, sizeof(why));

    if (reason == NULL || input.outside || input.loopback) {
        return reason;
    }
    input_use(INPUT_FROM_TIMER);
    if (input_unreachable() != NULL) {
        return input_unreachable();
    }
    snprintf(found, sizeof(found), FROM_TIMER "%s", reason);
    bench_found(run, FOUND_INPUT, found);
    return NULL;
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
