/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The detector of gaps: the TSC is read back to back on one processor with interrupts off, and what
 * lies between two readings is a gap. What is kept of the gaps stands at bench gap. A watch is of
 * one processor and shares nothing with another's; several may run at once (team.h).
 *
 * In exact time one thread plays all processors, and the next one's turn comes only at a PAUSE:
 * where `pauses` is set there is one before each reading, and the turns are a strict rotation.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/run/bench.h"
#include "kernel/run/worst.h"

struct gap_injection {
    uint64_t time;       /* ticks behind the origin */
    uint64_t iterations; /* of idle_loop_spin()-like counted work, masked; 0: none */
    bool world;          /* without PAUSE: in exact time all processors stand still meanwhile */
};

struct gap_watch_settings {
    uint64_t ticks;       /* of the whole watch */
    uint64_t threshold;   /* gaps above are kept; 0: selfish's, 9 times the smallest reading */
    uint64_t round_ticks; /* 0: one round. Else the watch is made of rounds, and what the kernel
                             does between two is reported as its time away, not as a gap */
    size_t keep, keep_largest;
    bool pauses;
    uint64_t stop_ticks;                    /* ends the watch at the first gap beyond; 0: never */
    const struct gap_injection *injections; /* by time */
    size_t injection_count;
};
