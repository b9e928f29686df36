/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Progress of benches that watch for noise: the latest record `live` (kernel/link/live_gaps.h) of
 * each processor of the bench and pass that sent one last. `tare watch` shows it, and a run whose
 * bench did not end has it as partial result. Memory does not grow with the length of the watch.
 */
#pragma once

#include <stddef.h>

#include "kernel/link/live_gaps.h"
#include "tools/run/run.h"

#define LIVE_NOISE_LANES_MAX 512 /* as many as parameter gap.processors allows */
#define LIVE_NOISE_NAME_MAX  32

struct live_noise {
    char bench[LIVE_NOISE_NAME_MAX]; /* empty: no bench has sent a record */
    uint32_t pass;                   /* pass of that bench */
    /* each processor's latest record and its gaps over time, in order of their numbers */
    struct live_lane *lane;
    size_t count;
};

/* Takes a record of an answer. Ignores records of other kinds and damaged ones. */
void live_noise_take(struct live_noise *noise, const struct record *record);
void live_noise_free(struct live_noise *noise);

/* Adds the progress to a bench that did not end, as facts. Returns a text that names and sums up
 * the partial result and lives as long as the run, or NULL if this bench sent no progress. */
const char *live_noise_partial(const struct live_noise *noise, struct run *run,
                               struct run_bench *bench);
