/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench click, bench click_busy: the mouse button goes down and up where a click has no meaning
 * (Endo et al., OSDI '96, section 4 and figure 6), first with cold caches. With busy_wait=1 the
 * application does what Windows 95 did: it keeps the processor from down to up, so that the latency
 * of the click is the time for which the button was held.
 */
#include "bench/interactive/cold.h"
#include "bench/interactive/names.h"
#include "kernel/run/names.h"

#define POLL_ITERATIONS 8 /* iterations of the idle loop between two looks at the queue */

/* Five times the expected number of instructions. */
#define EVENT_INSTRUCTIONS_MAX 7500

static bool busy_wait;

/* Keeps the processor until any message comes. It accepts any message, because a release that never
 * comes must not keep it for ever. */
static void wait_busily(const struct app *app)
{
    while (queue_length(&app->queue) == 0) {
        idle_loop_spin(POLL_ITERATIONS);
    }
}

static void application(void *argument)
{
    struct app *app = argument;

    for (;;) {
        const struct queue_message message = queue_get(&app->queue);

        if (message.type == QUEUE_QUIT) {
            return;
        }
        if (message.type == QUEUE_BUTTON_DOWN && busy_wait) {
            wait_busily(app);
        }
        queue_done(&app->queue, message.number);
    }
}

static enum bench_state run(struct bench_run *run)
{
    const struct app_settings settings = {
        .application = application,
        .meanwhile = cold_empty_caches,
    };

    cold_begin(run, bench_number(run, "cold"));
    busy_wait = bench_number(run, PARAM_BUSY_WAIT) != 0;
    const enum bench_state state = app_run(run, &settings);
    const struct app_asked asked = {.work_us = busy_wait ? app_held_us() : 0,
                                    .spare = EVENT_INSTRUCTIONS_MAX};

    return state == BENCH_OK ? app_judge(run, &asked) : state;
}

#define SCRIPT "click left hold=20ms every=40ms x50"

static const struct bench_param click_params[] = {
    {"script", SCRIPT, "clicks to make", PARAM_TEXT()},
    {PARAM_BUSY_WAIT, "0", "1: the application keeps the processor while the button is held",
     PARAM_NUMBER(0, 1)},
    {"cold", "10", "number of first clicks that come with empty caches", PARAM_NUMBER(0, COLD_MAX)},
    {"sample_us", "1000", "length of an idle-loop sample, in us", PARAM_TIME(10, 1000000)},
    {0},
};

static const struct bench click = {
    .name = "click",
    .group = GROUP_INTERACTIVE,
    .summary =
        "a click without meaning: down and up are ignored; 10 with cold caches, then 40 trials",
    .unit = UNIT_TICK,
    .estimate = "down and up take about 1500 instructions each: three bytes of a mouse packet, "
                "three interrupts (the paper: a standard deviation below 2 %)",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = click_params,
    .run = run,
};
BENCH_REGISTER(click);

static const struct bench_param click_busy_params[] = {
    {"script", SCRIPT, "clicks to make", PARAM_TEXT()},
    {PARAM_BUSY_WAIT, "1", "1: the application keeps the processor while the button is held",
     PARAM_NUMBER(0, 1)},
    {"cold", "10", "number of first clicks that come with empty caches", PARAM_NUMBER(0, COLD_MAX)},
    {"sample_us", "1000", "length of an idle-loop sample, in us", PARAM_TIME(10, 1000000)},
    {0},
};

static const struct bench click_busy = {
    .name = "click_busy",
    .group = GROUP_INTERACTIVE,
    .summary = "the same click, but the application keeps the processor while the button is held",
    .unit = UNIT_TICK,
    .estimate = "the latency of a click is the time for which the button was held, 20 ms, as in "
                "the paper's Windows 95; it is not the cost of the click",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = click_busy_params,
    .run = run,
};
BENCH_REGISTER(click_busy);
