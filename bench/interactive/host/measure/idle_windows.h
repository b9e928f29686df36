/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Utilisation of the processor over windows of equal length, from the idle loop's samples alone
 * (Endo et al. 1996, sections 2.5 and 2.6, figure 4): of a bench that publishes them as
 * reconcile.h describes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

#define IDLE_WINDOWS_MAX (1u << 20)

struct idle_windows {
    double ms;
    uint64_t begin;  /* TSC, of the first */
    int64_t window;  /* ticks */
    double *windows; /* 0 to 1; see latency_windows() */
    size_t count;    /* the first IDLE_WINDOWS_MAX */
    double mean;     /* over the time that they cover */
    double most;
    size_t idle; /* windows of 0 */
};

/* NULL, or why there are none: `windows` is NULL then. */
const char *idle_windows_of(struct idle_windows *windows, const struct run_bench *bench, double ms,
                            double ns_per_tick);
void idle_windows_free(struct idle_windows *windows);
