/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measurements of benches cstate and ramp: latencies of leaving each idle state, by the time that
 * the timer was set to, on each processor alone and on all at once; and the speed after a wake-up.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/curves.h"
#include "tools/run/run.h"

#define IDLE_NAME_MAX 16

struct idle_state {
    char name[IDLE_NAME_MAX]; /* name such as "hlt" */
    bool together;            /* measured on all processors at once */
    int64_t processor;
    struct curve curve; /* x in us; belongs to the run, which must outlive it */
    bool has_early;
    int64_t early; /* how often the state ended without an interrupt */
};

/* Reads the complete states in the order of the run. Returns NULL and sets *count to 0 if there are
 * none. Free them with idle_states_free(). */
struct idle_state *idle_states_read(const struct run_bench *bench, size_t *count);
void idle_states_free(struct idle_state *states, size_t count);

/* Writes the residency as text, for example "20 us" or "2.5 ms". */
#define IDLE_SPAN_MAX 24
const char *idle_span_text(int64_t us, char text[IDLE_SPAN_MAX]);

/*
 * Measurements of bench ramp: the speed of the processor, piece by piece after a wake-up, and when
 * it settled.
 *
 * Speed is the number of APERF cycles a TSC tick. Without APERF it is the ticks of the fastest
 * piece divided by the ticks of the piece, so that 1 is the fastest speed seen. The speed of a
 * piece is the median of its trials.
 *
 * The final speed is the median of the last quarter of the pieces. The speed has settled from the
 * end of the last piece that differs by more than 1 % from the final speed, or from 0 if no piece
 * does. If a piece of the last quarter differs, the speed has not settled within the time measured.
 */

#define RAMP_STATES_MAX   40
#define RAMP_SETTLED      0.01
#define RAMP_NAME_MAX     16
#define RAMP_PIECES_LEAST 8 /* with fewer pieces, the median of the last quarter means little */

struct ramp {
    char state[RAMP_NAME_MAX]; /* name such as "hlt" */
    size_t trials, pieces;
    bool by_aperf;
    double *speed; /* [pieces] speed of each piece */
    double *end;   /* [pieces] median ticks from the wake-up to the end of each piece */
    double final;
    bool has_settled;
    double settled; /* ticks from the wake-up */
    double lost;    /* ticks of work at the final speed that were not done until then */
};

/* Reads all states in the order of the run, up to RAMP_STATES_MAX, and returns their number. Leaves
 * out states with incomplete series. Free each with ramp_free(). */
size_t ramps_read(const struct run_bench *bench, struct ramp ramps[RAMP_STATES_MAX]);
void ramp_free(struct ramp *ramp);

/* Computes final, settled and lost from speed and end. */
void ramp_settle(struct ramp *ramp);
