/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench desktop: an unbound key and a click on the background of the screen, 40 times each and
 * warm, in each structure of the window system (Endo et al., OSDI '96, section 4 and figure 6).
 * Both cross into the window system, which finds the window. In the segmented structure a click
 * lasts as long as the button is held.
 */
#include "bench/interactive/names.h"
#include "bench/interactive/program/idler_program.h"
#include "bench/interactive/task.h"
#include "kernel/run/names.h"

#define WIDTH    320
#define HEIGHT   200
#define EVENT_US 5000

static enum bench_state run(struct bench_run *run)
{
    const struct task task = {
        .name = "idle_window",
        .program = user_idle_window,
        .event_us = EVENT_US,
        .own_bytes = IDLER_OWN_BYTES,
        .width = WIDTH,
        .height = HEIGHT,
    };

    return task_run(run, &task);
}

static const struct bench_param params[] = {
    {"script",
     "key f12 as=warm_up; pause 100ms; key f12 hold=20ms every=100ms x40 as=unbound_key; "
     "move 255,80 as=warm_up; pause 100ms; click left as=warm_up; pause 100ms; "
     "click left hold=90ms every=200ms x40 as=background_click",
     "keys and clicks, in each phase", PARAM_TEXT()},
    TASK_PARAMS_BY(DRIVER_NAME_HAND),
    {0},
};

static const struct bench desktop = {
    .name = "desktop",
    .group = GROUP_INTERACTIVE,
    .summary = "an unbound key and a click on the background, 40 times each, in each structure",
    .unit = UNIT_TICK,
    .estimate = "a key and a click cost one crossing into the window system; in the segmented "
                "structure a click takes the 90 ms for which the button is held",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .on_request = true,
    .run = run,
};
BENCH_REGISTER(desktop);
