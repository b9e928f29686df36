/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A schedule of the response-time model, played on threads: what arrives when, and how much work it
 * is, is all drawn before. Rules: tools/sim/model.h.
 *
 * Competing quanta, and portions that no process serves, are work for a pool of threads a level: a
 * free one gets in line behind all others of its level when its quantum arrives, as a transaction
 * does. Where none is free the quantum waits beside, and gets in line when one has become free,
 * which is again behind all others: the order is the same, unless the level has processes too.
 *
 * Threads live on one processor, the model's first. Each other is a station (kernel/smp/station.h),
 * which serves the same lines without threads (model_station.h). What goes from one processor to
 * another is an event with the time at which it is due, and an interrupt.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bench/interactive/model_schedule.h"

/* At most so many of each. */
size_t play_arrivals(const struct play *play);
size_t play_portions(const struct play *play);

/* In a session (kernel/task/session.h) that has no threads yet. False: there are not threads
 * enough, or no memory. */
bool play_run(struct play *play);
