/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/spread.h"

static size_t count_up_to(const int64_t *samples, size_t count, int64_t limit)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        found += samples[i] <= limit ? 1 : 0;
    }
    return found;
}

void spread_of(const int64_t *samples, size_t count, struct spread *spread)
{
    int64_t min = samples[0];
    int64_t max = samples[0];

    for (size_t i = 1; i < count; i++) {
        min = samples[i] < min ? samples[i] : min;
        max = samples[i] > max ? samples[i] : max;
    }
    spread->min = min;
    spread->max = max;

    /* The smallest number that half of them do not exceed is one of them. */
    while (min < max) {
        const int64_t middle = min + (int64_t)(((uint64_t)max - (uint64_t)min) / 2);

        if (count_up_to(samples, count, middle) >= (count + 1) / 2) {
            max = middle;
        } else {
            min = middle + 1;
        }
    }
    spread->median = min;
}
