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
    int64_t least = samples[0];
    int64_t greatest = samples[0];

    for (size_t i = 1; i < count; i++) {
        least = samples[i] < least ? samples[i] : least;
        greatest = samples[i] > greatest ? samples[i] : greatest;
    }
    spread->least = least;
    spread->greatest = greatest;

    /* The least number that half of them do not exceed is one of them. */
    while (least < greatest) {
        const int64_t middle = least + (int64_t)(((uint64_t)greatest - (uint64_t)least) / 2);

        if (count_up_to(samples, count, middle) >= (count + 1) / 2) {
            greatest = middle;
        } else {
            least = middle + 1;
        }
    }
    spread->median = least;
}
