/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel/task/timer.h on the test's clock `tick`, which the test defines before including this. */
#pragma once

#include "kernel/task/timer.h"
#include "tools/tests/support/unit.h"

static struct timer *armed[8];

void timer_start(struct timer *timer, uint64_t deadline, uint64_t period, timer_handler *handler,
                 void *argument)
{
    size_t at = 0;

    *timer = (struct timer){.deadline = deadline,
                            .period = period,
                            .handler = handler,
                            .argument = argument,
                            .armed = true};
    while (armed[at] != NULL) {
        CHECK(armed[at] != timer);
        at++;
    }
    armed[at] = timer;
}

void timer_stop(struct timer *timer)
{
    for (size_t i = 0; i < sizeof(armed) / sizeof(armed[0]); i++) {
        armed[i] = armed[i] == timer ? NULL : armed[i];
    }
    timer->armed = false;
}

/* Advances the clock to the first timer, plus `ticks`. Returns false if there is no timer. */
static bool next_timer(uint64_t ticks)
{
    struct timer *first = NULL;

    for (size_t i = 0; i < sizeof(armed) / sizeof(armed[0]); i++) {
        if (armed[i] != NULL && (first == NULL || armed[i]->deadline < first->deadline)) {
            first = armed[i];
        }
    }
    if (first == NULL) {
        return false;
    }
    timer_stop(first);
    tick = (first->deadline > tick ? first->deadline : tick) + ticks;
    first->handler(first->argument);
    return true;
}
