/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks whether the idle loop recovers the time that interrupts took. Pure: it judges the samples
 * of the loop and the handlers' own timestamps by limits that were stated beforehand.
 *
 * Interrupts that share a sample form a group. A group's error is the length of the sample, minus
 * that of an undisturbed one, minus the time measured inside its handlers, minus entry and exit of
 * each interrupt, which no handler can measure. The tolerance of a group is `sample` plus `each`
 * times the number of its interrupts. The length of each piece of work is also compared with the
 * work requested, with a tolerance.
 *
 * In exact time no error beyond the tolerances is allowed. If the TSC counts time, whatever takes
 * the processor lengthens samples and timed sections but never shortens them. Being too short by
 * more than a stated share is then a failure; being too long is a failure only if most groups are.
 * In an emulator, whose host may take any amount of time, being too long is only counted and
 * reported.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recover_limits {
    bool exact;      /* any error beyond the tolerances is a failure */
    bool stolen;     /* a host may take the processor, so being too long is never a failure */
    int64_t outside; /* ticks of entry and exit of an interrupt */
    /* part of a group's tolerance in ticks that does not depend on its interrupts */
    int64_t sample;
    int64_t each;    /* what each interrupt in the group adds to that tolerance */
    int64_t percent; /* how much shorter a sample may be, in percent of an undisturbed one */
    /* tolerance in ticks of a handler's timed section against the work requested */
    int64_t asked;
    int64_t asked_ppm; /* the same tolerance in millionths of that work */
};

/* A timed section inside a handler, in ticks from the start of the first sample. */
struct recover_span {
    int64_t entry;
    int64_t length;
    int64_t asked; /* ticks of work requested; -1: not compared */
};

struct recover_group {
    size_t count;  /* number of interrupts */
    int64_t error; /* error in ticks, as defined above */
    int64_t tolerance;
};

struct recovery {
    size_t groups;
    size_t within;      /* groups that are within their tolerances */
    size_t shorter;     /* groups too short by more than a disturbance explains */
    size_t spurious;    /* samples without an interrupt that are too long */
    size_t unseen;      /* interrupts after the last sample */
    size_t asked_short; /* timed sections shorter than the work requested */
    size_t asked_long;
    size_t asked; /* timed sections that were compared */
    size_t first_asked_short;
    /* median of the samples without an interrupt; if there are none, the given floor */
    int64_t floor;
    int64_t floor_least;   /* least of these samples */
    int64_t injected;      /* sum of all timed sections that lie in a sample */
    int64_t recovered;     /* sum of the samples' excess, minus entries and exits */
    int64_t largest_error; /* error of largest magnitude, with its sign; 0: no group */
    int64_t spurious_ticks;
};

#define RECOVER_REASON_MAX 120

/* `floor` is the length of an undisturbed sample as calibrated, at least 1. `lengths` are
 * consecutive samples: each begins where the previous one ends. `spans` and `early` ascend. A
 * sample with an interrupt that has no timed section, which came at `early`, is not judged. `quiet`
 * must have room for all samples, `group` for all spans. */
struct recover_input {
    const int64_t *lengths;
    size_t samples;
    const struct recover_span *spans;
    size_t count;
    const int64_t *early; /* in ticks from the start of the first sample */
    size_t early_count;
    int64_t floor;
    int64_t *quiet;
    struct recover_group *group;
};

void recover_judge(const struct recover_input *input, const struct recover_limits *limits,
                   struct recovery *recovery);

/* Returns true if everything is within the limits, otherwise false and sets `reason` to what is
 * not. */
bool recover_holds(const struct recovery *recovery, const struct recover_limits *limits,
                   char reason[RECOVER_REASON_MAX]);
