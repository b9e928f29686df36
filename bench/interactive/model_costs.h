/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel's own work takes on the ways that a model's portions go, measured by a schedule
 * that is played as every other (model_play.h), so that it is the same code:
 *
 *   empty         a portion from its first stamp to its last, less its work
 *   interrupt     how much longer a portion takes in which a quantum of less urgency arrives
 *   preempt       the same, of more urgency, with work of one iteration
 *   next          from the end of a quantum to the begin of another that waits at its level
 *   again         from the end of a stimulus at a process to the begin of another that waits there
 *   forward       from the end of a portion to the begin of the next at another process of the same
 *                 level
 *   forward_up    the same, from quantum to quantum, to a more urgent level
 *   forward_back  from there to the level before, where the thread that sent the quantum up first
 *                 finds that there is no other for it
 *   forward_down  to a less urgent level without that
 *   begin         from the moment that a timer is set to, to the begin of the quantum that it
 *                 brings, where the processor idles
 *   interrupt_handler, preempt_handler, begin_handler
 *                 what the handler took of the arrival in the middle, and of the last; it depends
 *                 on how many timers run, which are more here than in most plays (SERIES_HANDLER)
 */
#pragma once

#include <stdint.h>

#include "kernel/run/bench.h"

/* Publishes them, in ticks, as series "cost.NAME". BENCH_OK, or bench_error(). Outside of any
 * session; threads are numbered anew afterwards. */
enum bench_state model_publish_costs(struct bench_run *run,
                                     const struct idle_calibration *calibration);
