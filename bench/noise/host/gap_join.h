/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the gaps of several processors on one time base: which gaps stopped all processors at
 * once (an SMI, a package C-state, the host of a virtual machine), and which stopped only one.
 *
 * Times are ticks after the team's origin (bench/noise/team.h). The clock of a processor is known
 * to within its `uncertainty`; for two processors the bound is the sum u of both.
 *
 * A gap of processor p is covered on processor q by the share of it in which q has gaps as well.
 * Its class is
 *
 *     world    system-wide: covered by half or more on every other processor, wherever q's clock is
 *              within u;
 *     local    per-CPU: covered by less than half on at least one other processor, wherever its
 *              clock is within u;
 *     unknown  neither, or one of the cases of enum gap_why.
 *
 * The gaps of processors that stop together differ by one reading of the loop at most, so they are
 * covered almost completely. A gap with another cause seldom lies in the same time. A limit of one
 * half is therefore far from both cases.
 *
 * All functions except gap_join_of() are pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

enum gap_class {
    GAP_UNKNOWN,
    GAP_LOCAL,
    GAP_WORLD,
};

/* Why the class of a gap is unknown. */
enum gap_why {
    GAP_WHY_NONE,
    GAP_WHY_SKEW, /* not longer than u, or the class depends on where the clock is within u */
    /* one reading of the loop may put it below the other processor's threshold */
    GAP_WHY_THRESHOLD,
    GAP_WHY_UNKEPT,    /* the other processor did not keep all its gaps and may have had this one */
    GAP_WHY_UNWATCHED, /* the other processor did not watch at that time */
    GAP_WHYS,
};

struct gap_span {
    int64_t begin, end;
    enum gap_class class;
    enum gap_why why;
    size_t stop; /* index in join->stops, if it is a system-wide gap */
};

struct gap_lane {
    uint64_t number;        /* number of the processor */
    int64_t begin, end;     /* start and end of its watch */
    int64_t uncertainty;    /* bound on the error of its clock, in ticks; 0 or more */
    int64_t threshold;      /* gaps above it are kept */
    int64_t reading;        /* mean time between two readings */
    int64_t kept_until;     /* all gaps that begin before this time are kept; INT64_MAX: all gaps */
    int64_t largest_unkept; /* no gap that was not kept after that time is longer */
    struct gap_span *gaps;  /* gaps that were kept, in the order of time */
    size_t count;
    size_t of[GAP_WORLD + 1]; /* number of gaps in each class */
};

/* A time in which all processors stood still. */
struct gap_stop {
    int64_t begin, end; /* from the start of the first gap to the end of the last */
    /* ticks in which all processors stood, by each processor's own times; may be below 0 because of
     * the skew */
    int64_t common;
    size_t gaps; /* gaps in this stop; several for a processor that ran for a moment within it */
};

struct gap_join {
    struct gap_lane *lanes;
    size_t lane_count;
    struct gap_stop *stops; /* in the order of time */
    size_t stop_count;
    size_t why[GAP_WHYS]; /* number of unknown gaps for each reason */
};

/* Assigns a class to each gap of all lanes and finds the stops. */
void gap_join_classify(struct gap_join *join);

/* Reads the lanes of a bench that watches for gaps, in the order of series `number`, and assigns
 * classes to their gaps. Returns false and sets *why to the reason if only one processor took part
 * or data is missing. */
bool gap_join_of(const struct run_bench *bench, struct gap_join *join, const char **why);
void gap_join_free(struct gap_join *join);

/* Returns the reason as a part of a sentence, for example "another processor did not watch at that
 * time". */
const char *gap_why_text(enum gap_why why);

/* Finds the series and facts of one processor at a time: NAME.N for processor N, but NAME alone if
 * N is `bare`. */
struct gap_names {
    const struct run_bench *bench;
    /* numbers of the processors, the kernel's own first; NULL: there is only one */
    const struct run_series *numbers;
    uint64_t own;
    uint64_t bare;   /* processor whose names have no .N; UINT64_MAX: none */
    uint64_t number; /* the selected processor N; at first the kernel's own */
};
struct gap_names gap_names_of(const struct run_bench *bench);
/* Returns the number of processors, at least 1. */
size_t gap_names_count(const struct gap_names *names);
/* Selects a processor by index. Returns false if its number is missing. */
bool gap_names_take(struct gap_names *names, size_t index);
/* Returns the series or fact of the selected processor, or NULL if the bench does not have it. */
const struct run_series *gap_series_for(const struct gap_names *names, const char *name);
const struct run_fact *gap_fact_for(const struct gap_names *names, const char *name);
