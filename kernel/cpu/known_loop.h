/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loops of known instruction counts, against which clocks and counters are held: 2 instructions an
 * iteration, and 10. Each returns the TSC ticks that `iterations` (at least 1) take, reads
 * included.
 */
#pragma once

#include <stdint.h>

uint64_t known_loop_short(uint64_t iterations);
uint64_t known_loop_long(uint64_t iterations);

/* Takes `count` instructions, and a constant number besides. */
void known_instructions(uint64_t count);
