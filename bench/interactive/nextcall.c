/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench nextcall: an application that does not report the end of its events. The end is found by
 * the rule of Endo et al. (OSDI '96, section 2.4): it is the next call for a message. A trace mark
 * shows the true end, when the effect is on the screen, so that the error of the rule is known.
 *
 *     at_once    draws, then calls for the next message: the rule is late by the path to the call
 *     behind     draws, works on, then calls: the rule is late by that work as well
 *     peeks      looks for a message in the middle of its work, as an interruptible application
 *                does: the rule is early, by the rest of the work and by the drawing
 */
#include "bench/interactive/app.h"
#include "bench/interactive/names.h"
#include "bench/interactive/page.h"
#include "kernel/run/names.h"
#include "kernel/trace/object.h"
#include "kernel/trace/trace.h"

enum phase { AT_ONCE, BEHIND, PEEKS, PHASES };

static struct {
    struct page page;
    uint64_t work_us;
    uint64_t behind_us;
    uint16_t effect; /* number of the mark */
} application_of;

static void work(struct app *app)
{
    struct queue_message next;

    app_work(app, application_of.work_us - application_of.work_us / 2);
    if (app->phase == PEEKS) {
        queue_peek(&app->queue, &next, false);
    }
    app_work(app, application_of.work_us / 2);
}

static void application(void *argument)
{
    struct app *app = argument;

    for (;;) {
        const struct queue_message message = queue_get(&app->queue);

        if (message.type == QUEUE_QUIT) {
            return;
        }
        const char character = page_character(&application_of.page, &message);
        const bool down = message.type == QUEUE_KEY_DOWN;

        if (down) {
            work(app);
            page_type(&application_of.page, character);
        }
        trace_mark(application_of.effect, message.number);
        app_work(app, down && app->phase == BEHIND ? application_of.behind_us : 0);
    }
}

static bool prepare(struct app *app)
{
    page_begin(&application_of.page, &app->screen);
    application_of.effect = trace_object_add(OBJECT_MARK, MARK_NAME_EFFECT);
    return true;
}

static enum bench_state run(struct bench_run *run)
{
    application_of.work_us = bench_number(run, "work_us");
    application_of.behind_us = bench_number(run, "behind_us");
    const struct app_settings settings = {
        .application = application,
        .event_us = application_of.work_us + application_of.behind_us,
        .phase_count = PHASES,
        .phase = {[AT_ONCE] = {.name = "at_once"},
                  [BEHIND] = {.name = "behind"},
                  [PEEKS] = {.name = "peeks"}},
        .prepare = prepare,
    };
    const enum bench_state state = app_run(run, &settings);
    const struct app_asked asked = {
        .work_us =
            app_keys() * application_of.work_us + app_keys() / PHASES * application_of.behind_us,
        .spare = APP_DRAWS,
    };

    return state == BENCH_OK ? app_judge(run, &asked) : state;
}

static const struct bench_param params[] = {
    {"script", "key a hold=8ms every=16ms x20", "keys to type, in each phase", PARAM_TEXT()},
    {"work_us", "1000", "work for each key before its effect, in us", PARAM_TIME(0, 1000000)},
    {"behind_us", "2000", "work after the effect in phase behind, in us", PARAM_TIME(0, 1000000)},
    {"sample_us", "1000", "length of an idle-loop sample, in us", PARAM_TIME(10, 1000000)},
    {0},
};

static const struct bench nextcall = {
    .name = "nextcall",
    .group = GROUP_INTERACTIVE,
    .summary = "events that end at the next call for a message, and the error of that rule",
    .unit = UNIT_TICK,
    .estimate = "the next call comes about 100 instructions after the effect; if work follows the "
                "effect, later by that work; if the application looks for messages in the middle "
                "of its work, before the effect",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(nextcall);
