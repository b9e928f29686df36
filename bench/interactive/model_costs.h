/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel's own work costs on the paths that a model's portions take. It is measured with a
 * schedule that runs like any other (model_play.h), so that the code is the same:
 *
 *     empty         a portion from its first time stamp to its last, minus its work
 *     interrupt     how much longer a portion takes if a less urgent quantum arrives during it
 *     preempt       the same for a more urgent quantum, whose work is one iteration
 *     next          from the end of a quantum to the start of another that waits at its level
 *     again         from the end of a stimulus at a process to the start of another that waits
 *                   there
 *     forward       from the end of a portion to the start of the next one, at another process of
 *                   the same level
 *     forward_up    the same from quantum to quantum, to a more urgent level
 *     forward_back  from there back to the level before; the thread that sent the quantum up first
 *                   finds that no other quantum waits for it
 *     forward_down  from quantum to quantum, to a less urgent level, without returning from a more
 *                   urgent one
 *     begin         from the time for which a timer is set to the start of the quantum that it
 *                   brings, while the processor is idle
 *     remote        in the image tare-smp, for a model of several processors: from the end of a
 * portion to the start of the next one, at a process of another processor, which is idle; without
 * the time of the message on its way (`transmission`) interrupt_handler, preempt_handler,
 * begin_handler time of the arrival's handler in the cases above; it depends on how many timers
 *                   run, and more run here than in most models (SERIES_HANDLER)
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/run/bench.h"

#if TARE_SMP
/* Call first: the number of processors that share the threads, and whether messages between them
 * take a time of their own, which a timer of the sender ends. */
void model_costs_share(size_t processors, bool transmits);
#endif
/* Measures these costs and publishes them in ticks as series "cost.NAME". Returns BENCH_OK on
 * success, otherwise the result of bench_error(). Call outside any session; afterwards threads are
 * numbered from the start again. */
enum bench_state model_publish_costs(struct bench_run *run,
                                     const struct idle_calibration *calibration);
