/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench profile: what a system does while its user does nothing (Endo et al., OSDI '96, section 4:
 * idle system profiles), in each structure of the window system: clock ticks, a blinking cursor,
 * and in the segmented structure chores every few milliseconds. A modifier key is pressed at the
 * start and at the end, and nothing in between.
 */
#include "bench/interactive/names.h"
#include "bench/interactive/program/idler_program.h"
#include "bench/interactive/task.h"
#include "bench/interactive/window/names.h"
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
        .parameters = {[IDLER_BLINK_US] = bench_number(run, "blink_us")},
        .results = {[IDLER_BLINKS] = "blinks", [IDLER_BLINK_TICKS] = "blink_ticks"},
        .chore_us = bench_number(run, "chore_us"),
        .chore_work_us = bench_number(run, "work_us"),
    };

    return task_run(run, &task);
}

static const struct bench_param params[] = {
    {"script", "key shift; at 4s key shift", "keys that mark the start and end of the idle time",
     PARAM_TEXT()},
    TASK_PARAMS_BY(DRIVER_NAME_HAND),
    {"blink_us", "530000", "time between two changes of the cursor, in us",
     PARAM_TIME(1000, 60000000)},
    {"chore_us", "55000", "time between two chores of the segmented window system, in us; 0: none",
     PARAM_TIME(0, 1000000)},
    {"work_us", "1500", "work for each chore, in us", PARAM_TIME(0, 1000000)},
    {0},
};

static const struct bench profile = {
    .name = "profile",
    .group = GROUP_INTERACTIVE,
    .summary = "what three systems do while their user does nothing: clock ticks, a cursor, chores",
    .unit = UNIT_TICK,
    .estimate = "a clock tick every 10 ms and a blink every 530 ms in each structure; in the "
                "segmented one also 1.5 ms of work every 55 ms",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .on_request = true,
    .run = run,
};
BENCH_REGISTER(profile);
