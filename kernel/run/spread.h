/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Least, middle and greatest of samples, without memory for a copy. Pure.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct spread {
    int64_t least;
    int64_t median; /* of an even number the lower of the two in the middle */
    int64_t greatest;
};

/* Of `count` > 0 samples in any order. Looks at all of them once, and for the median once more for
 * each bit of the difference between greatest and least. */
void spread_of(const int64_t *samples, size_t count, struct spread *spread);
