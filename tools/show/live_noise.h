/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Benches that watch for noise as they go on: the latest record `live` (kernel/link/live_gaps.h) of
 * each processor of the bench that sent last. Memory does not grow with the length of the watch.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "kernel/link/live_gaps.h"
#include "tools/run/run.h"

#define LIVE_NOISE_LANES_MAX 256
#define LIVE_NOISE_NAME_MAX  32

struct live_noise {
    char bench[LIVE_NOISE_NAME_MAX]; /* empty: none has sent */
    struct live_gaps *lane;          /* by processor */
    size_t count;
};

/* A record of an answer; one of another kind, or damaged, is passed over. */
void live_noise_take(struct live_noise *noise, const struct record *record);
void live_noise_free(struct live_noise *noise);

/* Progress, and of each processor its worst gap so far, rate and histogram, in at most `rows`
 * lines. Times are in ticks where the rate of the run's TSC is unknown. */
void live_noise_view(FILE *out, const struct live_noise *noise, const struct run *run, size_t rows);
