/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop of bench ftq: units of work, counted in quanta of fixed length by the TSC. A unit
 * belongs to the quantum in which it ends.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The state of one processor, on cache lines that no other processor shares. */
struct ftq_work {
    uint64_t quantum; /* length of a quantum in ticks */
    size_t quanta;
    uint64_t iterations; /* iterations of the idle loop in a unit */
    bool pauses;         /* PAUSE before each unit */
    int64_t *done;       /* [quanta] units that ended in each quantum */
    int64_t *carry;      /* [quanta] ticks spent at the quantum's end on the unit then under way */
    uint64_t units;
    uint64_t shortest; /* ticks of the shortest unit, except the first and the last */
    uint64_t late;     /* ticks from the origin to the first reading */
    uint64_t elapsed;
    uint64_t injector_period; /* ticks between injected interruptions; 0: none */
    uint64_t injector_iterations;
    int64_t *injection_time; /* [injections_max] when each began, in ticks after the origin */
    size_t injections, injections_max;
} __attribute__((aligned(128)));

/* Works for `quanta` quanta and fills in the results of a struct ftq_work, whose `done` and `carry`
 * must be zero before. This is a team_work of team.h. */
void ftq_work(void *state, uint64_t origin);
