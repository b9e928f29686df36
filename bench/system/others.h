/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the benches of several processors share: the participants, and what is reported of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/run/bench.h"
#include "kernel/smp/processor.h"
#include "kernel/smp/skew.h"

/* Who takes part: the kernel's own first, then the others that work, by kind where they are unlike
 * (kernel/cpu/kind.h) and in the order of their numbers, up to the bench's parameter `processors`.
 */
struct takers {
    size_t count;
    size_t number[PROCESSORS_MAX];
};

/* Fills it and sends fact `processors`, fact `left_out` where the parameter leaves some out, series
 * `number`, `package`, `core` and `thread`, a sample each, and reports each missing processor with
 * the reason. False: no memory. */
bool takers_find(struct bench_run *run, struct takers *takers);

/* Longer than any processor that is there takes to answer another. */
#define TAKERS_ANSWER_US 10000000

/* How to wait for another processor (lines.h). Gives up after `us`, or some more where others slow
 * down what is looked at: so many PAUSEs as fit on this processor. Where time is unknown or made of
 * instructions, one for each us. */
struct patience takers_patience(uint64_t us);
/* Its `pauses` where every look is followed by one. */
uint64_t takers_pauses(uint64_t us);

/* Longer than any piece of work: for processor_await(). */
uint64_t takers_limit(void);
