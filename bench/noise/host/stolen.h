/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stolen time: the share of the time of benches `idle` and `gap` that something else took, in
 * millionths (ppm: microseconds in each second), of the whole and of each of its equal parts. What
 * is stolen from a sample of the idle loop is its length above the floor
 * (tools/trace/idle_bench.h); from bench gap, each gap above the threshold, whole.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bench/noise/names.h"
#include "tools/run/run.h"

#define STOLEN_PARTS GAP_PARTS

struct stolen {
    double whole;
    size_t parts; /* STOLEN_PARTS; of the idle loop not more than samples; 0: of the whole alone */
    double part[STOLEN_PARTS];
};

/* Of series floor or ticking. A sample below the floor has lost nothing. Parts hold as many samples
 * each, to one. False: the series, or some of it, is missing. */
bool stolen_from_idle(const struct run_bench *bench, const char *series, struct stolen *stolen);

/* False: not known of all gaps, or gap_holds_loop(). A gap counts where it begins. */
bool stolen_from_gap(const struct run_bench *bench, struct stolen *stolen);
