/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A phase of the TSC at which every trace begins in exact time.
 *
 * The first record after a multiple of 2^27 ticks has an extended header, and costs more
 * (kernel/trace/packet.h). In exact time this cost is a part of what is measured, so that the same
 * bench would give other figures after a longer boot. From a fixed phase on, these multiples come
 * at the same places of the bench.
 */
#pragma once

/* Returns a fixed number of instructions after a multiple of 2^27 ticks, which takes up to that
 * many; at once where the TSC counts time. With interrupts off. */
void phase_wait(void);
