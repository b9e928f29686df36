/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench longevents: the ground truth for a table of long events (Endo et al., OSDI '96, table 2:
 * number of events above a threshold, mean and deviation of the intervals between them). Most keys
 * take little work and some much, and it is known which:
 *
 *     random      each key is long with probability 1 / every, drawn before the measurement
 *                 starts: the intervals are geometric, with a deviation of sqrt(1 - 1 / every) of
 *                 their mean
 *     periodic    each `every`th key is long: the intervals are equal
 */
#include "bench/interactive/app.h"
#include "bench/interactive/names.h"
#include "kernel/plan/draw.h"
#include "kernel/run/names.h"

#define KEYS_MAX  (SCRIPT_EVENTS_MAX / 2)
#define EVERY_MAX 1000

enum phase { RANDOM, PERIODIC, PHASES };

static struct {
    uint64_t short_us;
    uint64_t long_us;
    bool is_long[PHASES][KEYS_MAX];
    size_t keys[PHASES]; /* keys that arrived */
    size_t longs[PHASES];
} typing;

static void application(void *argument)
{
    struct app *app = argument;

    for (;;) {
        const struct queue_message message = queue_get(&app->queue);

        if (message.type == QUEUE_QUIT) {
            return;
        }
        if (message.type == QUEUE_KEY_DOWN && typing.keys[app->phase] < KEYS_MAX) {
            const bool is_long = typing.is_long[app->phase][typing.keys[app->phase]++];

            typing.longs[app->phase] += is_long;
            app_work(app, is_long ? typing.long_us : typing.short_us);
        }
        queue_done(&app->queue, message.number);
    }
}

/* Chooses the long keys of both phases. A random number of 64 bits makes a key long if it is at
 * most 2^64 / every, rounded down. The probability is off by less than 1 in 2^54. */
static void draw(uint64_t every, uint64_t seed)
{
    const uint64_t below = every > 1 ? UINT64_MAX / every : UINT64_MAX;
    struct draw_random random;

    draw_seed(&random, seed, 0);
    for (size_t i = 0; i < KEYS_MAX; i++) {
        typing.is_long[RANDOM][i] = draw_next(&random) <= below;
        typing.is_long[PERIODIC][i] = i % every == every - 1;
    }
}

static enum bench_state run(struct bench_run *run)
{
    typing = (typeof(typing)){
        .short_us = bench_number(run, PARAM_SHORT_US),
        .long_us = bench_number(run, PARAM_LONG_US),
    };
    draw(bench_number(run, PARAM_EVERY), bench_number(run, "seed"));
    const struct app_settings settings = {
        .application = application,
        .event_us = typing.long_us,
        .phase_count = PHASES,
        .phase = {[RANDOM] = {.name = PHASE_RANDOM}, [PERIODIC] = {.name = PHASE_PERIODIC}},
    };
    const enum bench_state state = app_run(run, &settings);

    if (state != BENCH_OK) {
        return state;
    }
    const size_t longs = typing.longs[RANDOM] + typing.longs[PERIODIC];
    const struct app_asked asked = {
        .work_us = (app_keys() - longs) * typing.short_us + longs * typing.long_us,
        .spare = APP_DRAWS,
    };

    bench_fact(run, FACT_LONG "." PHASE_RANDOM, UNIT_COUNT, (int64_t)typing.longs[RANDOM]);
    bench_fact(run, FACT_LONG "." PHASE_PERIODIC, UNIT_COUNT, (int64_t)typing.longs[PERIODIC]);
    return app_judge(run, &asked);
}

static const struct bench_param params[] = {
    {"script", "key a hold=5ms every=20ms x400", "keys to type, in each phase", PARAM_TEXT()},
    {PARAM_EVERY, "10", "one key in this many is long", PARAM_NUMBER(1, EVERY_MAX)},
    {"seed", "1", "seed of the random phase", PARAM_NUMBER(0, UINT32_MAX)},
    {PARAM_SHORT_US, "200", "work for a short key, in us", PARAM_TIME(0, 1000000)},
    {PARAM_LONG_US, "8000", "work for a long key, in us", PARAM_TIME(0, 1000000)},
    {"sample_us", "1000", "length of an idle-loop sample, in us", PARAM_TIME(10, 1000000)},
    {0},
};

static const struct bench longevents = {
    .name = "longevents",
    .group = GROUP_INTERACTIVE,
    .summary = "one key in ten takes long, at random or every tenth: intervals of long events",
    .unit = UNIT_TICK,
    .estimate = "the mean interval is `every` keys; its deviation is nearly as large if long keys "
                "are random, and 0 if they are periodic",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .on_request = true,
    .run = run,
};
BENCH_REGISTER(longevents);
