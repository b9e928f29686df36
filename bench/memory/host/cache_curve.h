/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds levels in a curve of latency by size: caches in that of a chase by bytes, and reaches of
 * the TLB in that of one line per page by pages.
 *
 * A level is an interval of sizes that cost about the same: at least LEVEL_POINTS_MIN points
 * between two changes. The changes are those that best explain the logarithms of the costs, at a
 * price of LEVEL_CHANGE_PRICE each (least squares; Auger and Lawrence 1989). Neighbours that differ
 * by less than a factor of LEVEL_FACTOR_MIN are one level, because a slowly rising cost is no step.
 * So steps smaller than this factor, and levels shorter than an octave of sizes, are not found.
 *
 * A level ends between the last size that costs less than the geometric mean of its cost and the
 * next level's, and the size after it. A cache that replaces the least recently used line loses a
 * ring of lines all at once, at its size. A cache that replaces lines at random, and whose next
 * level costs four times as much, shows its end at one and a half times its size, where a third of
 * the ring misses.
 *
 * If the curve still climbs after the last level, that level has an end as well: the smaller cost
 * of the curve's last two points stands for the next level.
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
    size_t points; /* points of the curve on the level */
    int64_t low;   /* the largest size that the level still holds */
    int64_t high;  /* the smallest size that it does not hold; 0: it holds all sizes measured */
    double factor; /* cost of the next level relative to this one; 0: there is no next level */
};

/* Finds the levels of a curve with growing sizes, in the order of sizes. Ignores points whose cost
 * is not above 0. Returns their number, at most LEVELS_MAX; 0 if there is no level. */
size_t cache_levels_find(const int64_t *size, const double *cost, size_t count,
                         struct cache_level levels[LEVELS_MAX]);

/* Returns true if the end of the level is beyond doubt: the next level is at least twice as slow,
 * and this one spans at least an octave and a half. */
bool cache_level_is_clear(const struct cache_level *level);

/* a cache that holds data, as CPUID reports it in the machine's facts (kernel/cpu/cache.h) */
struct cache_claim {
    unsigned level;
    int64_t bytes;
    const char *text; /* the whole text of the fact */
};

/* Reads the claims in the order of levels. Returns their number, at most LEVELS_MAX. */
size_t cache_claims_read(const struct run *run, struct cache_claim claims[LEVELS_MAX]);

/* Returns the claim that agrees with the level's end, or else the claim with the level's index.
 * Returns NULL if there is none, or if the level holds more than twice that size: then it is
 * memory. */
const struct cache_claim *cache_claim_of(const struct cache_claim *claims, size_t claim_count,
                                         const struct cache_level *levels, size_t index);
/* Returns true if the claimed size lies where the level ends. */
bool cache_claim_agrees(const struct cache_claim *claim, const struct cache_level *level);
