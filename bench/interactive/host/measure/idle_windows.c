/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/idle_windows.h"

#include <math.h>
#include <stdlib.h>

#include "bench/interactive/host/measure/latency.h"
#include "bench/interactive/host/measure/latency_events.h"
#include "tools/base/alloc.h"
#include "tools/trace/reconcile.h"

/* Of the last window there may be only a part, which is its part of the mean. */
static void sum_up(struct idle_windows *windows, uint64_t elapsed)
{
    const double window = (double)windows->window;
    const double all = fmin((double)elapsed, (double)windows->count * window);

    for (size_t i = 0; i < windows->count; i++) {
        const double busy = windows->windows[i];

        windows->mean += busy * fmin(window, all - (double)i * window) / all;
        windows->most = busy > windows->most ? busy : windows->most;
        windows->idle += busy <= 0;
    }
}

const char *idle_windows_of(struct idle_windows *windows, const struct run_bench *bench, double ms,
                            double ns_per_tick)
{
    struct reconcile reconcile;
    uint64_t elapsed = 0;

    *windows = (struct idle_windows){.ms = ms};
    reconcile_init(&reconcile, bench);
    if (!reconcile.present) {
        return reconcile.why != NULL ? reconcile.why : "the bench has none";
    }
    if (ns_per_tick <= 0) {
        return "the length of a tick is unknown";
    }
    const struct run_series *series = reconcile.series;
    const size_t samples = series->ranges[0].count; /* behind a hole their places are not known */

    for (size_t i = 0; i < samples; i++) {
        elapsed += (uint64_t)series->samples[i];
    }
    windows->begin = reconcile.from;
    windows->window = latency_threshold(ms, ns_per_tick);
    windows->window = windows->window > 0 ? windows->window : 1;
    const uint64_t needed = elapsed / (uint64_t)windows->window + 1;
    const size_t capacity = needed < IDLE_WINDOWS_MAX ? (size_t)needed : IDLE_WINDOWS_MAX;

    windows->windows = alloc_zeroed(capacity * sizeof(*windows->windows));
    windows->count = latency_windows(series->samples, samples, reconcile.shortest, windows->window,
                                     windows->windows, capacity);
    sum_up(windows, elapsed);
    return NULL;
}

void idle_windows_free(struct idle_windows *windows)
{
    free(windows->windows);
}
