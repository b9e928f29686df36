/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does the idle loop give back what interrupts took? Pure: the samples of the loop, and the
 * brackets of the handlers that came meanwhile, judged by what was stated before they ran.
 *
 * Interrupts that share a sample are one group. Its error is the sample's length, less that of an
 * undisturbed one, less the group's brackets, less entry and exit of each interrupt, which no
 * handler can bracket. Each group has its own tolerance, `sample` and `each` times its interrupts;
 * so has each piece of work that was asked for, against its bracket.
 *
 * In exact time nothing may be off. Where the TSC counts time, what takes the processor away
 * makes samples and brackets longer, never shorter: what is too short by more than a stated share
 * is a failure, and what is too long is a failure where it is most of all; behind an emulator,
 * whose host takes as much as it likes, it is counted and reported alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recover_limits {
    bool exact;        /* nothing may be off */
    bool stolen;       /* a host takes the processor: too long is never a failure */
    int64_t outside;   /* ticks of entry and exit of one interrupt */
    int64_t sample;    /* tolerance in ticks of a group, whatever it holds */
    int64_t each;      /* what each interrupt in the group adds to that tolerance */
    int64_t percent;   /* of an undisturbed sample: how much shorter one may be */
    int64_t asked;     /* tolerance in ticks of a bracket against the work that was asked for */
    int64_t asked_ppm; /* the same tolerance in millionths of that work */
};

/* A span of the TSC in a handler, from the begin of the first sample. */
struct recover_span {
    int64_t entry;
    int64_t length;
    int64_t asked; /* ticks of work; -1: not compared */
};

struct recover_group {
    size_t count;  /* interrupts */
    int64_t error; /* ticks */
    int64_t tolerance;
};

struct recovery {
    size_t groups;
    size_t within;      /* of them, by their tolerances */
    size_t shorter;     /* too short by more than a disturbance explains */
    size_t spurious;    /* samples too long that hold no interrupt */
    size_t unseen;      /* interrupts behind the last sample */
    size_t asked_short; /* brackets shorter than the work that was asked for */
    size_t asked_long;
    size_t asked; /* brackets compared */
    size_t first_asked_short;
    int64_t floor;         /* median of the samples that hold none; else what was given */
    int64_t floor_least;   /* least of them */
    int64_t injected;      /* sum of all brackets that a sample holds */
    int64_t recovered;     /* sum of the elongations, less entries and exits */
    int64_t largest_error; /* by magnitude, with its sign; 0: no group */
    int64_t spurious_ticks;
};

#define RECOVER_REASON_MAX 120

/* `floor` is the length of an undisturbed sample as calibrated, at least 1; `lengths` are of
 * samples whose place is given by their sum; `spans` rise. Samples that hold an interrupt without a
 * bracket, which came at `early`, are not judged; these rise as well. `quiet` has room for all
 * samples, `group` for all spans. */
struct recover_input {
    const int64_t *lengths;
    size_t samples;
    const struct recover_span *spans;
    size_t count;
    const int64_t *early; /* from the begin of the first sample */
    size_t early_count;
    int64_t floor;
    int64_t *quiet;
    struct recover_group *group;
};

void recover_judge(const struct recover_input *input, const struct recover_limits *limits,
                   struct recovery *recovery);

/* True: all is as stated. Else `reason` has what is not. */
bool recover_holds(const struct recovery *recovery, const struct recover_limits *limits,
                   char reason[RECOVER_REASON_MAX]);
