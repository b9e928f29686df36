/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What bench cstate measured: latencies out of each idle state, by how long the timer was set to,
 * of each processor by itself and of all at once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/curves.h"
#include "tools/run/run.h"

#define IDLE_NAME_MAX 16

struct idle_state {
    char name[IDLE_NAME_MAX]; /* "hlt" */
    bool together;            /* all processors at once */
    int64_t processor;
    struct curve curve; /* x in us; of the run, which must outlive it */
    bool has_early;
    int64_t early; /* how often the state ended with no interrupt */
};

/* In the order of the run. NULL and *count 0: there are none that are whole. Free them. */
struct idle_state *idle_states_read(const struct run_bench *bench, size_t *count);
void idle_states_free(struct idle_state *states, size_t count);

/* The residency as text: "20 us", "2.5 ms". */
#define IDLE_SPAN_MAX 24
const char *idle_span_text(int64_t us, char text[IDLE_SPAN_MAX]);

/*
 * What bench ramp measured: the speed of the processor, piece by piece behind a wake-up, and when
 * it has settled.
 *
 * Speed is cycles of APERF a tick of the TSC. Without APERF it is the fastest piece's ticks by
 * those of the piece: 1 is the fastest that was seen. Of each piece the median of the trials
 * counts.
 *
 * Settled is the speed from the end of the last piece that is off by more than 1 % of the final
 * speed, the median of the last quarter; from 0 where none is off. Where a piece of the last
 * quarter is off, it has not settled within the time that was measured.
 */

#define RAMP_STATES_MAX   40
#define RAMP_SETTLED      0.01
#define RAMP_NAME_MAX     16
#define RAMP_PIECES_LEAST 8 /* with fewer, a last quarter has no median to speak of */

struct ramp {
    char state[RAMP_NAME_MAX]; /* "hlt" */
    size_t trials, pieces;
    bool by_aperf;
    double *speed; /* of each piece */
    double *end;   /* of each piece, in ticks from the wake-up: the median of the trials */
    double final;
    bool has_settled;
    double settled; /* ticks from the wake-up */
    double lost;    /* until then, ticks of work at the final speed that were not done */
};

/* Reads all states, in the order of the run, up to RAMP_STATES_MAX; how many. A state whose series
 * are not whole is left out. Free each. */
size_t ramps_read(const struct run_bench *bench, struct ramp ramps[RAMP_STATES_MAX]);
void ramp_free(struct ramp *ramp);

/* Of speeds and ends: fills final, settled and lost. */
void ramp_settle(struct ramp *ramp);
