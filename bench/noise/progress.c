/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/progress.h"

#include "bench/noise/gap_histogram.h"
#include "kernel/clock/clock.h"
#include "kernel/link/live_gaps.h"

static void fill_octaves(const struct gap_watch *watch, struct live_gaps *live)
{
    for (unsigned i = 0; i < GAP_BUCKETS; i++) {
        const uint64_t bound = gap_bucket_bound(i);
        const unsigned octave = bound > 1 ? 63 - (unsigned)__builtin_clzll(bound) : 0;

        live->octaves[octave] += (uint64_t)watch->histogram[i];
    }
}

static void send(const struct progress *progress, size_t index)
{
    const struct gap_watch *watch = &progress->watches[index];
    const struct worst *worst = &watch->worst;
    struct live_gaps live = {
        .processor = (uint32_t)progress->team->takers.number[index],
        .elapsed = watch->elapsed,
        .total = watch->settings.ticks,
        .over = worst->count,
        .stolen = (uint64_t)worst->sum,
        .largest = (uint64_t)worst->max,
        .largest_at = (uint64_t)worst->max_time,
    };

    fill_octaves(watch, &live);
    bench_live(progress->run, &live);
}

bool progress_between(void *argument)
{
    struct progress *progress = argument;
    const uint64_t elapsed = progress->watches[0].elapsed;

    if (live_gaps_due(elapsed, progress->sent, clock_state()->verdict.hz)) {
        for (size_t i = 0; i < progress->team->takers.count; i++) {
            send(progress, i);
        }
        progress->sent = elapsed;
    }
    return true;
}
