/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a schedule of the response-time model on threads. What arrives when, and how much work it
 * is, has been drawn beforehand. Rules: tools/sim/model/model.h.
 *
 * Each level has a pool of threads for competing quanta and for portions that no process serves.
 * When a quantum arrives, a free thread gets in line after all others of its level. If no thread is
 * free, the quantum waits outside the line and gets in line when a thread becomes free, again after
 * all others. The order is therefore the same, unless the level has processes as well.
 *
 * In the image tare-smp, threads run on all processors of the model: each has its pools and
 * processes, which run only there, and a thread that starts its arrivals. What goes from one to
 * another is a message of the kernel, kept by a timer of the sender while it is on its way.
 *
 * In tare.efi they run on one processor, and so must the schedule.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bench/interactive/model_schedule.h"

/* Return the largest possible number of arrivals and of portions. */
size_t play_arrivals(const struct play *play);
size_t play_portions(const struct play *play);

/* Runs the schedule to its end. Call in a session (kernel/task/session.h) that has no threads yet.
 * Returns false if there are too few threads or there is no memory. */
bool play_run(struct play *play);
