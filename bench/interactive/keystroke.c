/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench keystroke: a key that means nothing to the application (Endo et al., OSDI '96, section 4
 * and figure 6). The application takes the message and waits for the next one. The first keys come
 * with cold caches, the others with warm ones.
 */
#include "bench/interactive/cold.h"
#include "bench/interactive/names.h"
#include "kernel/run/names.h"

/* Five times the expected number of instructions. */
#define EVENT_INSTRUCTIONS_MAX 5000

static void application(void *argument)
{
    struct app *app = argument;

    for (;;) {
        const struct queue_message message = queue_get(&app->queue);

        if (message.type == QUEUE_QUIT) {
            return;
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
    const enum bench_state state = app_run(run, &settings);
    const struct app_asked asked = {.work_us = 0, .spare = EVENT_INSTRUCTIONS_MAX};

    return state == BENCH_OK ? app_judge(run, &asked) : state;
}

static const struct bench_param params[] = {
    {"script", "key f12 hold=10ms every=20ms x50", "keys to type", PARAM_TEXT()},
    {"cold", "10", "number of first keys that come with empty caches", PARAM_NUMBER(0, COLD_MAX)},
    {"sample_us", "1000", "length of an idle-loop sample, in us", PARAM_TIME(10, 1000000)},
    {0},
};

static const struct bench keystroke = {
    .name = "keystroke",
    .group = GROUP_INTERACTIVE,
    .summary = "a key without meaning: taken and ignored; 10 with cold caches, then 40 warm trials",
    .unit = UNIT_TICK,
    .estimate = "every warm key costs the same, about 1000 instructions including sending and "
                "recording (the paper: a standard deviation below 8 %); a cold key has about 100 "
                "cache misses more",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(keystroke);
