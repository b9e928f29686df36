/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/limit.h"

#include <string.h>

#include "kernel/clock/alarm.h"
#include "kernel/clock/clock.h"
#include "kernel/run/registry.h"

#define CHANGED_FACTOR 10
/* Ticks of an instruction in exact time up to which the limit is not scaled. */
#define TICKS_FACTOR_ONE 8

static bool planned;
static uint64_t planned_ms;
static uint64_t limit;
static uint64_t stop_us;

void limit_use(const struct run_settings *settings)
{
    planned = settings->limit_ms != SETTING_NONE;
    planned_ms = settings->limit_ms;
    stop_us = settings->stop_us;
}

uint64_t bench_stop_us(void)
{
    return stop_us;
}

static uint64_t default_ms(const struct bench *bench)
{
    const uint32_t ticks = clock_state()->ticks_per_instruction;
    bool changed = false;

    if (bench_input()->outside) {
        return 0;
    }
    for (const struct bench_param *p = bench->params; p != NULL && p->name != NULL; p++) {
        changed = changed || registry_planned(bench, p) != NULL;
    }
    const uint64_t ms = LIMIT_LENGTH_FACTOR * registry_lengths_ms(bench) +
                        (changed ? CHANGED_FACTOR * LIMIT_DEFAULT_MS : LIMIT_DEFAULT_MS);

    return ticks > TICKS_FACTOR_ONE ? ms * ticks / TICKS_FACTOR_ONE : ms;
}

void limit_begin(const struct bench *bench)
{
    limit = planned ? planned_ms : default_ms(bench);
    if (limit != 0) {
        alarm_set(ALARM_BENCH, limit * 1000);
    }
}

void limit_end(void)
{
    alarm_stop(ALARM_BENCH);
}

uint64_t limit_ms(void)
{
    return limit;
}

void limit_pause(void)
{
    alarm_pause(ALARM_BENCH);
}

void limit_resume(void)
{
    alarm_resume(ALARM_BENCH);
}
