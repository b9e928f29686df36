/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Phases of the TSC at which a run, its benches and their traces begin in exact time.
 *
 * A run: what firmware does with a disk takes as long as the host's disk does, also where the TSC
 * counts instructions. Clocks would stand in another phase to each other in each boot, and every
 * stamp would differ. From a fixed reading of the TSC on, an emulator's clocks, which all derive
 * from the same virtual time, stand alike.
 *
 * A bench: what was sent before it, and the bench before it, took some time. A bench that begins at
 * a multiple of 2^18 instructions does not depend on either, unless they take as much more.
 *
 * A trace: the first record after a multiple of 2^27 ticks has an extended header, and costs more
 * (kernel/trace/packet.h). In exact time this cost is a part of what is measured, so that the same
 * bench would give other figures after another one. From a fixed phase on, these multiples come at
 * the same places of the bench.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A run begins at a multiple of as many instructions: the first one, unless firmware takes more. It
 * takes less than 0.8 G in OVMF. */
#define PHASE_INSTRUCTIONS (1ull << 32)

/* Halts until the TSC reads a multiple of PHASE_INSTRUCTIONS, in ticks, and returns that reading; 0
 * where the TSC counts time or a clock to wait by is missing. With interrupts off, after
 * lapic_init() and before anything is measured: nothing else may interrupt. Leaves the LAPIC timer
 * stopped. */
uint64_t phase_begin(void);

/* Returns a fixed number of instructions after a multiple of 2^18 instructions, which takes up to
 * that many; at once where the TSC counts time. With interrupts off, nothing attached, and no
 * trace. Leaves the LAPIC timer stopped. */
void phase_bench(void);

/* Returns a fixed number of instructions after a multiple of 2^27 ticks, which takes up to that
 * many; at once where the TSC counts time. With interrupts off. */
void phase_wait(void);
