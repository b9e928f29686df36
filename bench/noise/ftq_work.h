/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop of bench ftq: units of work, counted in quanta of fixed length by the TSC. A unit
 * belongs to the quantum in which it ends.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one processor, on lines of memory that no other shares. */
struct ftq_work {
    uint64_t quantum; /* ticks */
    size_t quanta;
    uint64_t iterations; /* a unit */
    bool pauses;         /* before each unit */
    int64_t *done;       /* [quanta] */
    int64_t *carry;      /* [quanta] ticks of the unit under way at its end */
    uint64_t units;
    uint64_t shortest; /* unit, the first and the last apart */
    uint64_t late;     /* the first reading, behind the origin */
    uint64_t elapsed;
    uint64_t thief_period; /* ticks; 0: none */
    uint64_t thief_iterations;
    int64_t *thief_time; /* [thefts_max] */
    size_t thefts, thefts_max;
} __attribute__((aligned(128)));

/* Fills what a struct ftq_work has of its quanta; `done` and `carry` are zeroed before. A team_work
 * of team.h.
 */
void ftq_work(void *state, uint64_t origin);
