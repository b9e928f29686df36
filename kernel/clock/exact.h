/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does the TSC count instructions, and not time?
 *
 * Under QEMU's -icount shift=N it advances by exactly 2^N an instruction; under Bochs by 1. The
 * image finds out by itself: it runs loops of known instruction counts, with and without
 * no-operations in them, and looks whether every span fits one power of two. On silicon, where
 * no-operations cost next to nothing and no span repeats to the tick, they cannot.
 */
#pragma once

#include <stdint.h>

/* Ticks an instruction, a power of two; 0 where the TSC counts time. */
uint32_t exact_ticks_per_instruction(void);
