/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gaps of several processors on one time base: which of them stopped all processors at once (an
 * SMI, a package C-state, the host of a virtual machine), and which only one.
 *
 * Times are ticks behind the team's origin (bench/noise/team.h). The clock of a processor is known
 * to within its `uncertainty`; of two processors their sum u.
 *
 * A gap of processor p is covered on q by the share of it in which q has gaps as well. It is
 *
 *     world    covered by half or more on every other processor, wherever within u q's clock is;
 *     local    covered by less than half on one other processor at least, wherever within u;
 *     unknown  neither, and in the cases of enum gap_why.
 *
 * Processors that stand still together see gaps that differ by one reading of the loop at most, so
 * that half is far from both: a gap of another cause seldom lies in that very time.
 *
 * All except gap_join_of() is pure.
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

/* Why a class is unknown. */
enum gap_why {
    GAP_WHY_NONE,
    GAP_WHY_SKEW,      /* not longer than u, or it depends on where within u */
    GAP_WHY_THRESHOLD, /* by a reading of the loop it may be below the other's threshold */
    GAP_WHY_UNKEPT,    /* the other did not keep all its gaps, and may have had this one */
    GAP_WHY_UNWATCHED, /* the other did not watch at that time */
    GAP_WHYS,
};

struct gap_span {
    int64_t begin, end;
    enum gap_class class;
    enum gap_why why;
    size_t stop; /* of join->stops, where it is a world gap */
};

struct gap_lane {
    uint64_t number;        /* of the processor */
    int64_t begin, end;     /* of its watch */
    int64_t uncertainty;    /* of its clock, in ticks; 0 or more */
    int64_t threshold;      /* gaps above are kept */
    int64_t reading;        /* mean time between two readings */
    int64_t kept_until;     /* all gaps that begin before are kept; INT64_MAX: all */
    int64_t largest_unkept; /* no gap behind it that was not kept is longer */
    struct gap_span *gaps;  /* that were kept, by begin */
    size_t count;
    size_t of[GAP_WORLD + 1]; /* gaps by class */
};

/* Processors that stood still together. */
struct gap_stop {
    int64_t begin, end; /* from the first gap's begin to the last one's end */
    int64_t common; /* ticks in which all stood, by the lanes' own times; below 0: by the skew */
    size_t gaps;    /* that make it: more than processors where one has it in pieces */
};

struct gap_join {
    struct gap_lane *lanes;
    size_t lane_count;
    struct gap_stop *stops; /* by begin */
    size_t stop_count;
    size_t why[GAP_WHYS]; /* unknown gaps by reason */
};

/* Classes all gaps of the lanes and finds the stops. */
void gap_join_classify(struct gap_join *join);

/* Reads the lanes of a bench that watches for gaps, in the order of series `number`, and classes
 * their gaps. False, and *why names the reason: it has one processor, or parts of it are missing.
 */
bool gap_join_of(const struct run_bench *bench, struct gap_join *join, const char **why);
void gap_join_free(struct gap_join *join);

/* As a part of a sentence: "their clocks are known less well than the gap is long". */
const char *gap_why_text(enum gap_why why);

/* Series and facts of one processor at a time: NAME.N of processor N, and NAME alone where N is
 * `bare`. */
struct gap_names {
    const struct run_bench *bench;
    const struct run_series *numbers; /* of processors, the kernel's own first; NULL: one alone */
    uint64_t own;
    uint64_t bare;   /* UINT64_MAX: none */
    uint64_t number; /* N: at first the kernel's own */
};
struct gap_names gap_names_of(const struct run_bench *bench);
/* How many processors, at least 1. */
size_t gap_names_count(const struct gap_names *names);
/* From now on those of this processor; false: its number is missing. */
bool gap_names_take(struct gap_names *names, size_t index);
/* NULL: the bench has none. */
const struct run_series *gap_series_for(const struct gap_names *names, const char *name);
const struct run_fact *gap_fact_for(const struct gap_names *names, const char *name);
