/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the benches of several processors share: choosing the participants and reporting them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/run/bench.h"
#include "kernel/smp/processor.h"
#include "kernel/smp/skew.h"

/* The participants: the current processor first, then the others that work, by kind if they differ
 * (kernel/cpu/kind.h) and otherwise in the order of their numbers, up to the bench's parameter
 * `processors`. */
struct takers {
    size_t count;
    size_t number[PROCESSORS_MAX];
};

/* Fills `takers`. Publishes fact `processors`, fact `left_out` if the parameter excludes some, and
 * series `number`, `package`, `core` and `thread` with one sample per participant. Reports each
 * processor that does not work, and why. Returns false if there is no memory. */
bool takers_find(struct bench_run *run, struct takers *takers);

/* longer than any working processor takes to answer another */
#define TAKERS_ANSWER_US 10000000

/* Returns how to wait for another processor (lines.h) such that the wait gives up after `us`, or
 * somewhat later if others slow down the word that is looked at. Measures how many PAUSEs fit into
 * `us` on this processor; if time is unknown or derived from instructions, allows one PAUSE for
 * each us. */
struct patience takers_patience(uint64_t us);
/* Returns the number of PAUSEs for `us` if every look is followed by one. */
uint64_t takers_pauses(uint64_t us);

/* Returns a limit for processor_await() in ticks, longer than any piece of work takes. */
uint64_t takers_limit(void);
