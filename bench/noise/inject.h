/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gaps on purpose, of random length and place: a schedule for all processors, drawn once. No two of
 * it overlap, on whatever processors they are. Pure, and the same on every machine for the same
 * plan.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gap_injection {
    uint64_t time;       /* ticks behind the origin, of the first round */
    uint64_t iterations; /* at least 1: of idle_loop_spin(); of a local one PAUSEs where the watch
                            has PAUSEs (gap_watch.h) */
    bool world;          /* without PAUSE: in exact time all processors stand still meanwhile */
};

struct inject_plan {
    uint64_t world, local; /* so many of each kind */
    uint64_t seed;
    uint64_t ticks;             /* of the watch, which has room for all of them (below) */
    uint64_t shortest, longest; /* ticks */
    size_t processors;
    bool everywhere; /* a world gap is made by each processor at the same time; else one makes it,
                        and stops the others by that */
    uint64_t iteration_microtick; /* idle_loop.h: of a spin */
    uint64_t pause_ticks;         /* of a PAUSE with what the others do in it; 0: local gaps are
                                     spins as well */
};

/* Is the watch long enough for as many of that length, with as much time between two? */
bool inject_fits(const struct inject_plan *plan);

/* Fills the list of each processor, lists[i] with room for world + local, and counts[i]. */
void inject_draw(const struct inject_plan *plan, struct gap_injection *const *lists,
                 size_t *counts);
