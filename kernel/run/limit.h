/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time limit of a bench, so that one that never ends does not hang the run: the alarm
 * (kernel/clock/alarm.h) ends it as CRASH, with the place where it was. Time that the line takes
 * does not count.
 *
 * The plan's bench.limit_ms=MS sets the limit; 0: none. If the plan does not set it, the limit is
 * LIMIT_DEFAULT_MS, or ten times that if the plan sets any parameter of the bench, or a script for
 * it, because that may make it long; plus eight times the bench's parameters in ms. There is no
 * limit if input comes from outside. In exact time, if an instruction takes more than 8 ticks, the
 * limit grows in proportion.
 */
#pragma once

#include "kernel/run/bench.h"
#include "kernel/run/settings.h"

#define LIMIT_DEFAULT_MS 120000
/* This factor times the lengths (ms) that the plan sets for the bench is added to the limit. The
 * host derives its limit for a whole run in the same way. */
#define LIMIT_LENGTH_FACTOR 8

/* Takes bench.limit_ms and noise.stop_us from the plan, before the first bench. */
void limit_use(const struct run_settings *settings);

void limit_begin(const struct bench *bench);
void limit_end(void);
/* Returns the limit of the current or last bench; 0: none. */
uint64_t limit_ms(void);

/* Stop the clock of the limit while frames are sent, because sending must not be interrupted. They
 * do nothing unless a limit runs. */
void limit_pause(void);
void limit_resume(void);
