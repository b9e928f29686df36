/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loops of known instruction counts, for checking clocks and counters: 2 instructions in an
 * iteration of the short one, 10 of the long one, and 4 of the one with a CPUID. Each returns the
 * TSC ticks that `iterations` (at least 1) take, including the two reads.
 */
#pragma once

#include <stdint.h>

uint64_t known_loop_short(uint64_t iterations);
uint64_t known_loop_long(uint64_t iterations);
uint64_t known_loop_cpuid(uint64_t iterations);

/* Executes `count` instructions plus a constant number. */
void known_instructions(uint64_t count);
