/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TSC phases at which a run, its benches and their traces begin in exact time.
 *
 * A run: what firmware does with a disk takes as long as the host's disk takes, even if the TSC
 * counts instructions. So in each boot the clocks would have another phase to each other, and every
 * timestamp would differ. An emulator's clocks all derive from the same virtual time. If a run
 * begins at a fixed reading of the TSC, they have the same phase in each boot.
 *
 * A bench: the previous bench, and what it sent, took some time. A bench that begins at a multiple
 * of 2^18 instructions does not depend on that time, unless it differs by more than such a
 * multiple.
 *
 * A trace: the first record after a multiple of 2^27 ticks has an extended header and costs more
 * (kernel/trace/packet.h). In exact time this cost is part of what is measured, so the same bench
 * would give different figures after another bench. From a fixed phase on, these multiples come at
 * the same places of the bench.
 */
#pragma once

#include <stdint.h>

/* A run begins at a multiple of this many instructions: at the first one, unless firmware takes
 * more. OVMF takes less than 0.8 G instructions. */
#define PHASE_INSTRUCTIONS (1ull << 32)

/* Halts until the TSC reads a multiple of PHASE_INSTRUCTIONS, converted to ticks. Returns that
 * reading, or 0 if the TSC counts time or there is no clock to wait by. Call with interrupts off,
 * after lapic_init() and before anything is measured: there must be no other interrupts. Leaves the
 * LAPIC timer stopped. */
uint64_t phase_begin(void);

/* Waits until a fixed number of instructions after a multiple of 2^18 instructions, which takes up
 * to 2^18 instructions. Returns at once if the TSC counts time. Call with interrupts off, no
 * handler attached and no trace running. Leaves the LAPIC timer stopped. */
void phase_bench(void);

/* Waits until a fixed number of instructions after a multiple of 2^27 ticks, which takes up to 2^27
 * ticks. Returns at once if the TSC counts time. Call with interrupts off. */
void phase_wait(void);
