/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds one animated event in the idle loop's samples (Endo et al. 1996, section 2.6 and figure 4):
 * a long busy period, bursts paced by a clock, and another long busy period. It uses only the
 * lengths of the samples; no trace, no clock, and nothing that the bench reports.
 *
 * A burst is a run of samples that exceed the shortest one by more than a threshold. Its busy time,
 * the sum of their excess, is exact to an iteration of the loop. Its start is known to a sample: it
 * is at `begin`, or later by up to the length of a shortest sample.
 *
 * The three phases are two long bursts and the stairs between them. There are at least STAIRS_MIN
 * stairs, and each of the two long bursts is at least STAIRS_CONTRAST times as long as any stair.
 * Successive stairs start a multiple of one period apart, at most STAIR_PERIODS_MAX periods. The
 * period is at least PERIOD_SAMPLES_MIN samples. It is the longest one for which a straight line
 * through the stairs' possible starts (taken at the middle) misses no stair by more than a sample.
 * Bursts that nothing paces may lie like that by chance: the odds, (2 samples / period) for each
 * stair except two, must be below 1 to STAIRS_ODDS. If several places fit, the one with the most
 * stairs is chosen, and of those the first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

#define STAIRS_CONTRAST    2
#define STAIRS_MIN         3
#define STAIRS_MAX         1000
#define STAIR_PERIODS_MAX  4
#define PERIOD_SAMPLES_MIN 4
#define STAIRS_ODDS        10000

struct stair_burst {
    size_t sample;  /* index of its first sample */
    size_t samples; /* number of samples */
    int64_t begin;  /* ticks since the start of the first sample */
    int64_t ticks;  /* busy ticks */
};

struct stairs {
    const char *why; /* why the stairs were not found; NULL: they were found */
    int64_t shortest;
    int64_t threshold;
    struct stair_burst *bursts; /* all bursts, in order */
    size_t burst_count;

    /* If stairs were found: bursts[first] is the first busy period, bursts[last] the last, and the
     * bursts between them are the stairs. */
    size_t first, last;
    double period; /* ticks */
    /* start of the first stair on the fitted line, in ticks since the start of the first sample */
    double phase;
    double alignment; /* largest distance of a stair from that line, in samples */
    size_t longer;    /* stairs that are longer than the one before */
};

/* Searches `n` samples that passed idle_check(), each at least as long as `shortest`. */
void stairs_find(const int64_t *samples, size_t n, int64_t shortest, int64_t threshold,
                 struct stairs *stairs);
/* Searches a bench's series "idle". It tries a threshold of 1 % of a sample and doubled ones up to
 * half the largest excess, and takes the one that finds the most stairs: other disturbances of the
 * machine are shorter than the stairs. */
void stairs_of(const struct run_bench *bench, struct stairs *stairs);
void stairs_free(struct stairs *stairs);

size_t stairs_count(const struct stairs *stairs);
/* Returns whether each stair is longer than the one before. */
bool stairs_grow(const struct stairs *stairs);

/* Comparison with the bench's clock, by its facts clock_period and clock_origin (since the start of
 * the trace). */
struct stairs_truth {
    int64_t clock_period;
    double period_error; /* period - clock_period */
    double phase_error;  /* phase minus the nearest tick of that clock, in ticks */
};

/* Compares the stairs with the bench's clock. Returns false if they were not found or the bench
 * does not report its clock. */
bool stairs_compare(const struct stairs *stairs, const struct run_bench *bench,
                    struct stairs_truth *truth);
