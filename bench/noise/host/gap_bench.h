/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench `gap` of a run: what is known of all gaps above the threshold, and which of those that were
 * kept hold SMIs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

/* All gaps above the threshold. */
struct gap_totals {
    uint64_t count;
    bool is_exact; /* count, sum and greatest are of all; else only of those that were kept */
    int64_t sum;
    int64_t greatest, greatest_at; /* with count above 0 */
    int64_t unseen_greatest; /* what may have been missed at once while a gap was written down:
                              * the longest of these times less the shortest */
    uint64_t rest;           /* kept neither among the first nor among the largest */
    int64_t rest_sum;
};

/* From the facts; of runs without these from the series, exact where all gaps were kept. False: the
 * run has neither, or they contradict each other. */
bool gap_totals_of(const struct run_bench *bench, struct gap_totals *totals);

/* The lists of gaps that were kept, each in the order of time. */
enum gap_list {
    GAP_FIRST,
    GAP_WORST, /* the largest of those behind the first */
    GAP_LISTS,
};
struct gap_series {
    const struct run_series *time, *length; /* as many in both, all there */
    const struct run_series *smis;          /* SMIs since the gap before, kept or not; NULL: they
                                             * were not counted, or are another number */
};
/* False: the run has no such list, or not all of it. */
bool gap_series_of(const struct run_bench *bench, enum gap_list list, struct gap_series *series);

/* Is there a gap above the threshold, and that is below two passes of the loop between two reads?
 * Then gaps are the loop itself. */
bool gap_holds_loop(const struct run_bench *bench);

/* Ticks in which a gap would have been seen; 0: not known. */
double gap_watched(const struct run_bench *bench);

struct gap_smis {
    const struct run_series *series; /* SMIs a kept gap; NULL where they were not counted */
    bool whole;                      /* all were kept; of each, length and SMIs are there */
    size_t gaps;                     /* that hold one or more, of those that are there */
    int64_t longest;                 /* of these; 0 where there is none */
};

/* Where the bin of the image's histograms that begins at `bound`, 0 or more, ends: 16 bins an
 * octave (bench/noise/gap_histogram.h). */
double gap_bin_end(int64_t bound);

/* Gaps above the threshold that came behind the first ones, all of which were kept. */
uint64_t gap_unkept_of(const struct run_bench *bench);

/* Of both lists. */
void gap_smis_of(const struct run_bench *bench, struct gap_smis *smis);
