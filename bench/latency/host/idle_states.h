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
