/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The longest that a bench may take, so that one that never ends does not end the run: the alarm
 * (kernel/clock/alarm.h) ends it as CRASH, with the place where it was. Time that the line takes
 * does not count.
 *
 * bench.limit_ms=MS of the plan sets the limit; 0: none. Where the plan sets
 * nothing: LIMIT_DEFAULT_MS; ten times that where the plan sets any parameter of the bench, or a
 * script for it, as that may make it long; eight times its parameters in ms besides; no limit where
 * input comes from outside. In exact time these hold where an instruction takes 8 ticks, and grow
 * with it.
 */
#pragma once

#include "kernel/run/bench.h"
#include "kernel/run/settings.h"

#define LIMIT_DEFAULT_MS 120000
/* Of the lengths in ms that a bench was given: also of the host's limit for a whole run. */
#define LIMIT_LENGTH_FACTOR 8

/* bench.limit_ms and noise.stop_us, before the first bench. */
void limit_use(const struct run_settings *settings);

void limit_begin(const struct bench *bench);
void limit_end(void);
/* What was begun last; 0: none. */
uint64_t limit_ms(void);

/* While frames are sent: what sends must not be ended. Nothing outside of begin and end. */
void limit_pause(void);
void limit_resume(void);
