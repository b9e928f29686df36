/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as it comes: follows a log while it grows, and keeps the accounts of the last stretch of
 * the run's own time (live_window.h).
 *
 * Traces are sent when what they are of is over, a part of a bench's trace at a time: what comes
 * live is the line, packet by packet. A packet of which a frame is missing counts as unknown once
 * later frames arrive; should it be sent again after END, it stays so here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/show/live_noise.h"
#include "tools/show/live_window.h"
#include "tools/wire/decoder.h"

struct live;

/* Called when more of the log is needed: pushes some by live_push(), and may wait for it or look at
 * the state meanwhile. False: there will be no more. */
typedef bool live_more(void *context);

/* A window of so many seconds of the run's time, not 0. */
struct live *live_create(unsigned seconds, live_more *more, void *context);
void live_destroy(struct live *live);

/* Reads all there is, until END has been seen to or `more` returns that there is no more. */
void live_run(struct live *live);
/* Only from `more`. */
void live_push(struct live *live, const uint8_t *bytes, size_t length);

struct live_state {
    const struct run *run;            /* as far as its records have come; no samples, no packets */
    const struct live_window *window; /* its rows' `bench` is an index of run->benches */
    bool has_window;                  /* the rate of the TSC is known, and a trace has begun */
    struct decoder_counts counts;
    uint64_t events;    /* of traces */
    uint64_t packets;   /* of traces that are lost or damaged */
    uint64_t discarded; /* records of traces that found no room or were overwritten */
    bool ended;
    const struct live_noise *noise; /* of the bench that sent its progress last */
};
void live_look(const struct live *live, struct live_state *state);
