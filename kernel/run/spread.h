/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Min, median and max of samples, without memory for a copy. Pure.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct spread {
    int64_t min;
    int64_t median; /* of an even number the lower of the two in the middle */
    int64_t max;
};

/* Of `count` > 0 samples in any order. Looks at all of them once, and for the median once more for
 * each bit of the difference between max and min. */
void spread_of(const int64_t *samples, size_t count, struct spread *spread);
