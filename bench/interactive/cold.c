/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/cold.h"

#include "kernel/cpu/cpu.h"
#include "kernel/task/timer.h"

/* The caches are emptied by a timer: whoever waited to do it would change what an event costs. */
static struct {
    struct app *app;
    const int64_t *intended;
    uint64_t wanted;
    uint64_t chosen;
    size_t next; /* event of the script */
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

void cold_begin(uint64_t trials)
{
    cold = (typeof(cold)){.wanted = trials};
}
