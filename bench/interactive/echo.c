/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench echo: validates the idle-loop method of Endo et al. (OSDI '96, section 2.3 and figure 1).
 * The application waits for a key, computes, echoes the character to the screen, and waits again.
 * It also measures itself as any application can: it reads the clock when it gets the key, and
 * again when the echo is drawn. That measurement misses the time until the application runs.
 */
#include "bench/interactive/app.h"
#include "bench/interactive/names.h"
#include "bench/interactive/page.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/names.h"

static uint64_t work_us;

static void application(void *argument)
{
    struct app *app = argument;
    struct page page;

    page_begin(&page, &app->screen);
    for (;;) {
        const struct queue_message message = queue_get(&app->queue);
        const uint64_t from = tsc_read();

        if (message.type == QUEUE_QUIT) {
            return;
        }
        const char character = page_character(&page, &message);

        if (message.type == QUEUE_KEY_DOWN) {
            app_work(app, work_us);
            page_type(&page, character);
            app_stamp(app, message.number, from, tsc_read());
        }
        queue_done(&app->queue, message.number);
    }
}

static enum bench_state run(struct bench_run *run)
{
    work_us = bench_number(run, "work_us");
    const struct app_settings settings = {
        .application = application,
        .event_us = work_us,
    };
    const enum bench_state state = app_run(run, &settings);
    const struct app_asked asked = {
        .work_us = app_keys() * work_us, .spare = APP_DRAWS, .stamps = app_keys()};

    return state == BENCH_OK ? app_judge(run, &asked) : state;
}

static const struct bench_param params[] = {
    {"script", "key a hold=8ms every=16ms x100", "keys to type", PARAM_TEXT()},
    {"work_us", "2000", "work before each echo, in us", PARAM_TIME(0, 1000000)},
    {"sample_us", "1000", "length of an idle-loop sample, in us", PARAM_TIME(10, 1000000)},
    {0},
};

static const struct bench echo = {
    .name = "echo",
    .group = GROUP_INTERACTIVE,
    .summary = "a key is echoed to the screen: timed by idle loop, by two time stamps, by trace",
    .unit = UNIT_TICK,
    .estimate = "idle loop and trace agree within an iteration of the loop; the application's own "
                "stamps miss interrupt, deferred call, queue, wake-up and switch: about 1000 "
                "instructions (the paper: 2.34 of 9.76 ms)",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(echo);
