/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/bench/noise/gap_bench.h"

#include <string.h>

#include "bench/noise/names.h"

uint64_t gap_unkept_of(const struct run_bench *bench)
{
    const struct run_fact *const fact = run_find_fact(bench, FACT_UNKEPT);

    return fact != NULL && fact->value > 0 ? (uint64_t)fact->value : 0;
}

void gap_smis_of(const struct run_bench *bench, struct gap_smis *smis)
{
    const struct run_series *length = run_find_series(bench, SERIES_GAP_LENGTH);
    const struct run_series *series = run_find_series(bench, SERIES_GAP_SMI);

    memset(smis, 0, sizeof(*smis));
    /* With another number of gaps, the gap of each SMI is unknown. */
    if (length == NULL || series == NULL || series->n != length->n) {
        return;
    }
    struct run_walk walk = {.series = series};
    const int64_t *sample = length->samples;

    smis->series = series;
    smis->whole = run_series_whole(length) && run_series_whole(series) && gap_unkept_of(bench) == 0;
    for (size_t r = 0; r < length->range_count; r++) {
        const struct run_range range = length->ranges[r];

        for (uint32_t i = 0; i < range.count; i++, sample++) {
            int64_t count;

            if (run_walk_to(&walk, range.first + i, &count) && count > 0) {
                smis->gaps++;
                smis->longest = *sample > smis->longest ? *sample : smis->longest;
            }
        }
    }
}
