/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one event that is animated looks like to the idle loop (Endo et al. 1996, section 2.6 and
 * figure 4): a long busy period, bursts that a clock paces, another long busy period. Found in the
 * lengths of the idle loop's samples alone; no trace, no clock, nothing that the bench reports.
 *
 * A burst is a run of samples that are longer than the shortest by more than a threshold. How long
 * it was busy is exact to an iteration of the loop: the sum of what they are longer. Where it began
 * is known to a sample: at `begin`, or up to the length of a shortest sample later.
 *
 * The three phases are two bursts and the stairs between them: at least STAIRS_MIN bursts, either
 * of the two STAIRS_CONTRAST times as long as any of them, whose begins are multiples of one period
 * apart, at most STAIR_PERIODS_MAX of them. The period is at least PERIOD_SAMPLES_MIN samples, and
 * the longest for which a straight line through the middles of the places where they can have begun
 * misses none by more than a sample. Bursts that nothing paces may lie so, too: the odds of it, (2
 * samples / period) for each stair but two, must be below 1 to STAIRS_ODDS. Where several places
 * fit, that with the most stairs, and of those the first.
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
    size_t sample;  /* the first of it */
    size_t samples; /* how many */
    int64_t begin;  /* ticks since the first sample's begin */
    int64_t ticks;  /* busy */
};

struct stairs {
    const char *why; /* they were not found; NULL where they were */
    int64_t shortest;
    int64_t threshold;
    struct stair_burst *bursts; /* all, in order */
    size_t burst_count;

    /* Where they were found. The first busy period is bursts[first], the last bursts[last], the
     * stairs are those between. */
    size_t first, last;
    double period;    /* ticks */
    double phase;     /* ticks since the first sample's begin: of the first stair's begin, as the
                         line has it */
    double alignment; /* the largest distance of a stair from that line, in samples */
    size_t longer;    /* stairs that are longer than the one before */
};

/* `n` samples that idle_check() agrees to; each as long as `shortest` or longer. */
void stairs_find(const int64_t *samples, size_t n, int64_t shortest, int64_t threshold,
                 struct stairs *stairs);
/* The same of a bench's series "idle", with a threshold of 1 % of a sample, or twice as much and so
 * on where that finds more stairs: what else disturbs the machine is shorter. */
void stairs_of(const struct run_bench *bench, struct stairs *stairs);
void stairs_free(struct stairs *stairs);

size_t stairs_count(const struct stairs *stairs);
/* Is each longer than the one before? */
bool stairs_grow(const struct stairs *stairs);

/* The bench's clock by its facts (clock_period, and clock_origin since the trace's begin), to
 * compare with. */
struct stairs_truth {
    int64_t clock_period;
    double period_error; /* period - clock_period */
    double phase_error;  /* phase less the nearest tick of that clock, in ticks */
};

/* False where they were not found or the bench does not state. */
bool stairs_compare(const struct stairs *stairs, const struct run_bench *bench,
                    struct stairs_truth *truth);
