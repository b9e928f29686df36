/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/gap_histogram.h"

uint64_t gap_histogram_count(const int64_t *histogram)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < GAP_BUCKETS; i++) {
        count += (uint64_t)histogram[i];
    }
    return count;
}

size_t gap_histogram_pack(const int64_t *histogram, int64_t *bounds, int64_t *counts)
{
    size_t used = 0;

    for (unsigned i = 0; i < GAP_BUCKETS; i++) {
        if (histogram[i] != 0) {
            bounds[used] = (int64_t)gap_bucket_bound(i);
            counts[used++] = histogram[i];
        }
    }
    return used;
}
