/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench queuesync: the same script without and with a driver that posts a message after every
 * event, as Microsoft Test did (Endo et al., OSDI '96, section 5.4: events that took 32 ms when
 * typed by hand took 80 to 100 ms under Test, and there was less background activity).
 *
 * The application echoes a key at once, and puts off the layout of its text until no key has come
 * for a while. A QUEUE_SYNC asks it to have everything done, so it does the layout at once: what
 * was background work becomes part of the event.
 */
#include "bench/interactive/app.h"
#include "bench/interactive/names.h"
#include "bench/interactive/page.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/names.h"
#include "kernel/task/timer.h"

static struct {
    struct app *app;
    struct page page;
    uint64_t work_us;
    uint64_t layout_us;
    uint64_t delay_us;
    struct timer timer;
    bool pending;                      /* a layout is pending */
    uint64_t deferred[APP_PHASES_MAX]; /* layouts started by the timer */
    uint64_t hastened[APP_PHASES_MAX]; /* layouts started by a QUEUE_SYNC */
} writer;

static void post_timer(void *argument)
{
    const struct queue_message due = {.type = QUEUE_TIMER};

    (void)argument;
    queue_post(&writer.app->queue, &due);
}

static void put_off_layout(void)
{
    timer_stop(&writer.timer);
    timer_start(&writer.timer, tsc_read() + clock_ticks_from_us(writer.delay_us), 0, post_timer,
                NULL);
    writer.pending = true;
}

static void lay_out(uint64_t *count)
{
    if (writer.pending) {
        timer_stop(&writer.timer);
        writer.pending = false;
        app_work(writer.app, writer.layout_us);
        (*count)++;
    }
}

static void handle(struct app *app, const struct queue_message *message)
{
    const char character = page_character(&writer.page, message);

    if (message->type == QUEUE_KEY_DOWN) {
        app_work(app, writer.work_us);
        page_type(&writer.page, character);
        put_off_layout();
    } else if (message->type == QUEUE_SYNC) {
        lay_out(&writer.hastened[app->phase]);
    } else if (message->type == QUEUE_TIMER) {
        lay_out(&writer.deferred[app->phase]);
    }
    if (message->number != 0) {
        queue_done(&app->queue, message->number);
    }
}

static void application(void *argument)
{
    struct app *app = argument;

    for (;;) {
        const struct queue_message message = queue_get(&app->queue);

        if (message.type == QUEUE_QUIT) {
            timer_stop(&writer.timer);
            return;
        }
        handle(app, &message);
    }
}

static bool prepare(struct app *app)
{
    writer.app = app;
    page_begin(&writer.page, &app->screen);
    return true;
}

/* Checks that with a message after each event no layout is left to the timer. */
static enum bench_state judge(struct bench_run *run)
{
    const uint64_t layouts = writer.deferred[0] + writer.deferred[1] + writer.hastened[1];

    if (!bench_input()->outside &&
        (writer.hastened[1] != app_keys() / 2 || writer.deferred[1] != 0)) {
        return bench_fail(run,
                          "phase sync: expected %zu layouts started by a message and 0 by the "
                          "timer, got %lu and %lu",
                          app_keys() / 2, writer.hastened[1], writer.deferred[1]);
    }
    const struct app_asked asked = {
        .work_us = app_keys() * writer.work_us + layouts * writer.layout_us, .spare = APP_DRAWS};

    return app_judge(run, &asked);
}

static enum bench_state run(struct bench_run *run)
{
    writer = (typeof(writer)){
        .work_us = bench_number(run, "work_us"),
        .layout_us = bench_number(run, "layout_us"),
        .delay_us = bench_number(run, "delay_us"),
    };
    const struct app_settings settings = {
        .application = application,
        .event_us = writer.work_us + writer.layout_us,
        .phase_count = 2,
        .phase = {{.name = "plain"}, {.name = "sync", .sync_messages = true}},
        .prepare = prepare,
    };
    const enum bench_state state = app_run(run, &settings);

    if (state != BENCH_OK) {
        return state;
    }
    bench_fact(run, "layouts_deferred_plain", UNIT_COUNT, (int64_t)writer.deferred[0]);
    bench_fact(run, "layouts_deferred_sync", UNIT_COUNT, (int64_t)writer.deferred[1]);
    bench_fact(run, "layouts_hastened_sync", UNIT_COUNT, (int64_t)writer.hastened[1]);
    return judge(run);
}

static const struct bench_param params[] = {
    {"script", "key a hold=10ms every=20ms x40", "keys to type, in both phases", PARAM_TEXT()},
    {"work_us", "1000", "work for each key, in us", PARAM_TIME(0, 1000000)},
    {"layout_us", "2000", "work for the layout, which can be put off, in us",
     PARAM_TIME(0, 1000000)},
    {"delay_us", "4000", "time without a key until the layout is done, in us",
     PARAM_TIME(1, 10000000)},
    {"sample_us", "1000", "length of an idle-loop sample, in us", PARAM_TIME(10, 1000000)},
    {0},
};

static const struct bench queuesync = {
    .name = "queuesync",
    .group = GROUP_INTERACTIVE,
    .summary = "a driver that posts a message after each event, and its effect on an application "
               "that puts work off",
    .unit = UNIT_TICK,
    .estimate = "a key keeps the processor busy for 1 ms, and for 3 ms with the message: the "
                "layout, which was background work, is done at once (the paper: 32 ms without "
                "messages, 80 to 100 ms with them)",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(queuesync);
