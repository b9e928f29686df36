/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Injects gaps of random length at random times: draws a schedule for all processors once. No two
 * gaps of the schedule overlap, even on different processors. This is a pure function: the same
 * plan gives the same schedule on every machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gap_injection {
    uint64_t time; /* ticks after the origin of the first round */
    /* at least 1, of idle_loop_spin(); for a per-CPU gap of a watch with PAUSEs (gap_watch.h), the
     * number of PAUSEs */
    uint64_t iterations;
    /* a system-wide gap, made without PAUSE: in exact time all processors stand still meanwhile */
    bool world;
};

struct inject_plan {
    uint64_t world, local; /* number of system-wide and of per-CPU gaps */
    uint64_t seed;
    /* length of the watch, which must have room for all gaps (inject_fits()) */
    uint64_t ticks;
    uint64_t shortest, longest; /* limits of a gap's length in ticks */
    size_t processors;
    /* each processor makes a system-wide gap at the same time; otherwise one processor makes it and
     * stops the others by that */
    bool everywhere;
    /* millionths of a tick that an iteration of the spin takes (idle_loop.h) */
    uint64_t iteration_microtick;
    /* ticks of a PAUSE, including what the other processors do in it; 0: per-CPU gaps are spins as
     * well */
    uint64_t pause_ticks;
};

/* Returns whether the watch is long enough for that number of gaps of the longest length, with the
 * same time between two gaps. */
bool inject_fits(const struct inject_plan *plan);

/* Fills the list of each processor and its length counts[i]. lists[i] must have room for world +
 * local gaps. */
void inject_draw(const struct inject_plan *plan, struct gap_injection *const *lists,
                 size_t *counts);
