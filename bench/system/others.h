/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the benches of several processors share: who takes part, and what is told of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/run/bench.h"
#include "kernel/smp/processor.h"

/* Who takes part: the kernel's own first, then the others that work, in the order of their numbers,
 * up to the bench's parameter `processors`. */
struct takers {
    size_t count;
    size_t number[PROCESSORS_MAX];
};

/* Fills it and sends fact `processors`, fact `left_out` where the parameter leaves some out, series
 * `number`, `package`, `core` and `thread`, a sample each, and says who is absent and why. False:
 * no memory. */
bool takers_find(struct bench_run *run, struct takers *takers);

/* How often to look between two PAUSEs (lines.h). */
uint64_t takers_patience(void);

/* Longer than any piece of work: for processor_await(). */
uint64_t takers_limit(void);

/* Waits until *word is `value`; false: it takes too long. */
bool takers_wait(const volatile uint64_t *word, uint64_t value, uint64_t patience);
