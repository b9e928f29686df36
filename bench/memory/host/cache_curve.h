/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Levels in a curve of latency by size: caches in that of a chase by bytes, and reaches of the TLB
 * in that of one line a page by pages.
 *
 * A level is a stretch of sizes that cost about the same: at least LEVEL_POINTS_MIN points between
 * two changes, where the changes are those that explain the logarithms of the costs best, at a
 * price of LEVEL_CHANGE_PRICE each (least squares; Auger and Lawrence 1989). Neighbours that differ
 * by less than a factor of LEVEL_FACTOR_MIN are one level: a cost that creeps up is no step. So no
 * step smaller than that is found, nor a level that is shorter than an octave of sizes.
 *
 * A level ends between the last size that costs less than the geometric mean of its cost and the
 * next level's, and the size behind it. A cache that replaces the least recently used line loses a
 * ring of lines all at once, at its size; of one that replaces lines at random, whose next level
 * costs four times as much, a third of the ring misses there, at one and a half times its size.
 *
 * Where the curve goes on to climb behind the last level, that has an end as well: the two points
 * behind all others give the min cost of the next.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

#define LEVELS_MAX         8
#define LEVEL_POINTS_MIN   3
#define LEVEL_CHANGE_PRICE 0.12
#define LEVEL_FACTOR_MIN   1.5

struct cache_level {
    double cost;   /* median of the level's points */
    size_t points; /* of the curve on the level */
    int64_t low;   /* the largest size that it still holds */
    int64_t high;  /* the smallest that it does not; 0: it holds all there were */
    double factor; /* what is behind it costs so many times as much; 0: nothing is */
};

/* Levels of a curve whose sizes grow and whose costs are above 0, in the order of sizes; costs that
 * are not are left out. 0: no level, at most LEVELS_MAX. */
size_t cache_levels_find(const int64_t *size, const double *cost, size_t count,
                         struct cache_level levels[LEVELS_MAX]);

/* Is the end of that level, if it has one, beyond doubt: is what comes behind at least twice as
 * slow, and the level an octave and a half long? */
bool cache_level_is_clear(const struct cache_level *level);

/* The caches that hold data, by CPUID, in the machine's facts (kernel/cpu/cache.h). */
struct cache_claim {
    unsigned level;
    int64_t bytes;
    const char *text; /* all of it */
};

/* In the order of levels; returns how many, at most LEVELS_MAX. */
size_t cache_claims_read(const struct run *run, struct cache_claim claims[LEVELS_MAX]);

/* The claim that the level's end agrees with, or else that of its rank; NULL: none is left, or the
 * level holds more than twice that: it is memory. */
const struct cache_claim *cache_claim_of(const struct cache_claim *claims, size_t claim_count,
                                         const struct cache_level *levels, size_t index);
/* Does the size that is claimed lie where the level ends? */
bool cache_claim_agrees(const struct cache_claim *claim, const struct cache_level *level);
