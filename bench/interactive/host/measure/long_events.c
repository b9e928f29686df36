/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/long_events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/input/event.h"
#include "tools/base/alloc.h"

void geometric_law(double p, size_t n, struct geometric_law *law)
{
    const double ratio = sqrt(1 - p);
    const double skewness = (2 - p) / ratio;
    const double kurtosis = 9 + p * p / (1 - p);
    /* Of deviation over mean, relative to it: half the variance's, less what both share, and the
     * mean's. */
    const double variance = (kurtosis - 1) / 4 - skewness * ratio + ratio * ratio;

    law->mean = 1 / p;
    law->ratio = ratio;
    law->mean_error = ratio / p / sqrt((double)n);
    law->ratio_error = ratio * sqrt(variance / (double)n);
}

static bool is_of(const struct interactive_event *event, const struct interactive_phase *phase)
{
    return event->came && event->kind == INPUT_KEY_DOWN && event->has_phase &&
           event->phase == phase->phase;
}

static void fill(const struct interactive *interactive, const struct interactive_phase *phase,
                 int64_t threshold, double p, struct long_events *of)
{
    struct latency_event *events = alloc_zeroed((interactive->count + 1) * sizeof(*events));
    size_t n = 0;

    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];
        uint64_t service;

        if (is_of(event, phase) && interactive_service(event, &service)) {
            events[n++] = (struct latency_event){
                .begin = (int64_t)(event->has_intended ? event->intended : event->arrival),
                .latency = (int64_t)service,
                .kind = event->kind,
            };
        }
    }
    *of = (struct long_events){.phase = phase->name != NULL ? phase->name : "", .keys = n};
    of->random = strcmp(of->phase, PHASE_RANDOM) == 0;
    of->spacing = n > 1 ? (double)(events[n - 1].begin - events[0].begin) / (double)(n - 1) : NAN;
    latency_interarrivals(events, n, threshold, &of->interarrival);
    of->long_keys = of->interarrival.events;
    if (of->random && of->long_keys > 1) {
        geometric_law(p, of->long_keys - 1, &of->law);
    }
    free(events);
}

size_t long_events_of(const struct interactive *interactive, int64_t threshold, double p,
                      struct long_events *phases, size_t capacity)
{
    size_t count = 0;

    for (size_t i = 0; i < interactive->phase_count && count < capacity; i++) {
        fill(interactive, &interactive->phases[i], threshold, p, &phases[count++]);
    }
    return count;
}
