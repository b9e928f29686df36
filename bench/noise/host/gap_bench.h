/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench `gap` of a run: the totals of all gaps above the threshold, the lists of the gaps that were
 * kept, and which of those hold SMIs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

/* Totals of all gaps above the threshold. */
struct gap_totals {
    uint64_t count;
    bool is_exact; /* count, sum and greatest cover all gaps; otherwise only those that were kept */
    int64_t sum;
    int64_t greatest, greatest_at; /* greatest gap and when it began; only if count is above 0 */
    /* longest gap that may have been missed while another gap was written down: the longest of
     * these times minus the shortest */
    int64_t unseen_greatest;
    uint64_t rest; /* gaps that were kept neither among the first nor among the largest */
    int64_t rest_sum;
};

/* Takes the totals from the facts. For runs without these facts, computes them from the series,
 * which is exact if all gaps were kept. Returns false if the run has neither or they contradict
 * each other. */
bool gap_totals_of(const struct run_bench *bench, struct gap_totals *totals);

/* The lists of gaps that were kept, each in the order of time. */
enum gap_list {
    GAP_FIRST,
    GAP_WORST, /* the largest gaps after the first ones */
    GAP_LISTS,
};
struct gap_series {
    const struct run_series *time, *length; /* complete, and of equal length */
    /* SMIs since the previous gap, kept or not; NULL: they were not counted, or the series has
     * another length */
    const struct run_series *smis;
};
/* Returns false if the run has no such list, or not all of it. */
bool gap_series_of(const struct run_bench *bench, enum gap_list list, struct gap_series *series);

/* Returns whether there are gaps above a threshold that is below two passes of the loop. Such gaps
 * are the loop itself. */
bool gap_holds_loop(const struct run_bench *bench);

/* Returns the ticks in which a gap would have been seen, or 0 if unknown. */
double gap_watched(const struct run_bench *bench);

struct gap_smis {
    /* SMIs of each gap that was kept; NULL: they were not counted */
    const struct run_series *series;
    /* all gaps were kept, and the length and SMIs of each are there */
    bool whole;
    size_t gaps;     /* gaps with one or more SMIs among those that are there */
    int64_t longest; /* the longest of these gaps; 0: there is none */
};

/* Returns the end of the histogram bin that begins at `bound` (0 or more): 16 bins an octave
 * (bench/noise/gap_histogram.h). */
double gap_bin_end(int64_t bound);

/* Returns the number of gaps above the threshold that came after the first ones, all of which were
 * kept. */
uint64_t gap_unkept_of(const struct run_bench *bench);

/* Finds the SMIs in the gaps of both lists. */
void gap_smis_of(const struct run_bench *bench, struct gap_smis *smis);
