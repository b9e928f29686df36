/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks a plan before anything is booted or measured, by the image's own rules
 * (kernel/run/settings.h), and suggests the right name for a wrong one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/plan/param.h"
#include "kernel/plan/plan.h"
#include "kernel/run/bench.h"

#define PLAN_CHECK_MAX (PLAN_ERROR_MAX + 128)

/* Checks the plan against the benches of registry.h and the keys of a run. Returns false if the
 * plan is wrong: `error` then names the mistake and what would be right. */
bool plan_check(const char *text, const struct bench_param *run_keys, size_t run_key_count,
                char error[PLAN_CHECK_MAX]);

/* Returns whether the plan, or its role, runs this bench of registry.h. Call it after plan_check()
 * has accepted the plan. */
bool plan_selects(const struct bench *bench);

/* Returns the sum of the lengths in ms of all benches that the plan selects. Call it after
 * plan_check() has accepted the plan. */
uint64_t plan_lengths_ms(void);

/* Returns how many processors the plan's threads and interrupts want: tasks.cpus, irq.cpu, or the
 * largest parameter `cpus` of the selected benches of group smp; or `most` if that is larger. Call
 * it after plan_check() has accepted the plan. */
size_t plan_processors(size_t most);
