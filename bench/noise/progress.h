/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Progress of a watch in rounds (gap_watch.h): between two rounds what each processor has seen so
 * far leaves as record `live` (kernel/link/live_gaps.h), now and then, for `tare watch`. The time
 * that takes is away from the watch, and reported with it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bench/noise/gap_watch.h"

struct progress {
    const struct bench_run *run;
    const struct team *team;
    const struct gap_watch *watches;
    uint64_t sent; /* elapsed when it was done last */
};

/* A gap_watch_between of a struct progress: true. */
bool progress_between(void *progress);
