/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bins of a histogram of gaps: 16 bins an octave, so that the lower bound of a bin is within 6
 * % of its values. Below 16 ticks there is one bin for each tick.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define GAP_SUB_BUCKETS_LOG2 4
#define GAP_SUB_BUCKETS      (1u << GAP_SUB_BUCKETS_LOG2)
#define GAP_BUCKETS          ((64 - GAP_SUB_BUCKETS_LOG2 + 1) * GAP_SUB_BUCKETS)

static inline unsigned gap_bucket_of(uint64_t value)
{
    if (value < GAP_SUB_BUCKETS) {
        return (unsigned)value;
    }
    const unsigned top = 63 - (unsigned)__builtin_clzll(value);
    const unsigned shift = top - GAP_SUB_BUCKETS_LOG2;

    return (shift + 1) * GAP_SUB_BUCKETS + (unsigned)(value >> shift) % GAP_SUB_BUCKETS;
}

/* Returns the lower bound of a bin. */
static inline uint64_t gap_bucket_bound(unsigned bucket)
{
    if (bucket < GAP_SUB_BUCKETS) {
        return bucket;
    }
    const unsigned shift = bucket / GAP_SUB_BUCKETS - 1;

    return (uint64_t)(GAP_SUB_BUCKETS + bucket % GAP_SUB_BUCKETS) << shift;
}

/* Returns the number of gaps in the histogram. */
uint64_t gap_histogram_count(const int64_t *histogram);
/* Packs the bins that are not empty, with their lower bounds, for sending. Returns their number.
 * Each array must have room for GAP_BUCKETS values. */
size_t gap_histogram_pack(const int64_t *histogram, int64_t *bounds, int64_t *counts);
