/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/cold.h"

#include "bench/interactive/names.h"
#include "bench/memory/chain.h"
#include "bench/memory/kernels.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/names.h"
#include "kernel/task/timer.h"

#define PAGE_LINES 64
#define TRIES      5
/* a cold round must take at least this many times a round within L1; a round through memory takes
 * about 15 times as long */
#define COLD_LEAST 5

/* A timer empties the caches: a thread that waited to do it would change the cost of an event. */
static struct {
    struct app *app;
    const int64_t *intended;
    uint64_t wanted;
    uint64_t chosen;
    size_t next; /* index of the next event of the script to look at */
    struct timer timer;
} cold;

static bool begins_trial(const struct input_event *event)
{
    return event->kind == INPUT_KEY_DOWN || event->kind == INPUT_BUTTON_DOWN;
}

static void empty_before_next(void);

static void empty_caches(void *argument)
{
    (void)argument;
    caches_flush();
    empty_before_next();
}

static void empty_before_next(void)
{
    const struct app_script *script = &cold.app->script;

    while (cold.next < script->count && !begins_trial(&script->events[cold.next].event)) {
        cold.next++;
    }
    if (cold.chosen == cold.wanted || cold.next == script->count) {
        return;
    }
    const int64_t at = cold.intended[cold.next];
    const int64_t before = cold.next > 0 ? cold.intended[cold.next - 1] : (int64_t)tsc_read();

    cold.app->series.cold[cold.next++] = 1;
    cold.chosen++;
    timer_start(&cold.timer, (uint64_t)(before + (at - before) / 2), 0, empty_caches, NULL);
}

void cold_empty_caches(struct app *app, const int64_t *intended)
{
    cold.app = app;
    cold.intended = intended;
    empty_before_next();
    app->any_cold = cold.chosen > 0;
}

/* Returns the shortest of several rounds, because a disturbance only makes a round longer. */
static uint64_t shortest_cold_round(void *page)
{
    uint64_t shortest = UINT64_MAX;

    for (int i = 0; i < TRIES; i++) {
        caches_flush();
        const uint64_t ticks = memory_chase(&page, PAGE_LINES);

        shortest = ticks < shortest ? ticks : shortest;
    }
    return shortest;
}

/* Checks that WBINVD empties the caches. Returns NULL on success, otherwise the reason why no trial
 * would be cold. */
static const char *prove(const struct bench_run *run)
{
    void *page = bench_memory(PAGE_LINES * LINE_BYTES);

    if (page == NULL) {
        return "no memory for a page to verify that WBINVD empties the caches";
    }
    const uint64_t warm_round = chain_shortest_round(page, PAGE_LINES);
    const uint64_t cold_round = shortest_cold_round(page);

    bench_fact(run, "warm_round", UNIT_TICK, (int64_t)warm_round);
    bench_fact(run, "cold_round", UNIT_TICK, (int64_t)cold_round);
    return cold_round < COLD_LEAST * warm_round ? "WBINVD does not empty the caches here" : NULL;
}

void cold_begin(const struct bench_run *run, uint64_t trials)
{
    const char *why = trials > 0 && !bench_is_exact() ? prove(run) : NULL;

    cold = (typeof(cold)){.wanted = why == NULL ? trials : 0};
    if (why != NULL) {
        bench_absent(run, SERIES_COLD, why);
    }
}
