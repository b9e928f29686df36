/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/sampling.h"

#include <stdbool.h>
#include <stdio.h>

#include "kernel/run/names.h"

#define AREAS_MAX     256
#define FACT_NAME_MAX 80

struct area {
    const int64_t *samples;
    size_t count;
    size_t filled; /* number of samples taken when the trace found no room */
    bool grew;     /* samples were added while records were discarded */
};

static struct area areas[AREAS_MAX];
static size_t area_count;
static bool discarded;

void sampling_forget(void)
{
    area_count = 0;
    discarded = false;
}

void sampling_add(const int64_t *samples, size_t count)
{
    if (samples != NULL && area_count < AREAS_MAX) {
        areas[area_count++] = (struct area){.samples = samples, .count = count};
    }
}

/* Returns the index of the first zero. Areas are filled from the start on. A sample of 0 may make
 * the result too small, never too large. */
static size_t filled(const struct area *area)
{
    size_t from = 0;
    size_t to = area->count;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;

        if (area->samples[middle] != 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

void sampling_trace_filled(void)
{
    for (size_t i = 0; i < area_count && !discarded; i++) {
        areas[i].filled = filled(&areas[i]);
    }
    discarded = true;
}

void sampling_trace_ended(void)
{
    for (size_t i = 0; i < area_count; i++) {
        areas[i].grew = areas[i].grew || filled(&areas[i]) > areas[i].filled;
    }
}

/* Returns how many samples of a series were complete when the trace found no room. It is 0 if the
 * area is unknown, or was empty both then and at the end, because then it is not known when the
 * samples came. */
static size_t complete(const int64_t *samples, size_t count, size_t words)
{
    for (size_t i = 0; i < area_count; i++) {
        const struct area *area = &areas[i];

        if (samples < area->samples || samples >= area->samples + area->count) {
            continue;
        }
        const size_t skipped = (size_t)(samples - area->samples);
        const size_t found = area->filled > skipped ? (area->filled - skipped) / words : 0;

        if (!area->grew && found > 0) {
            return count;
        }
        return found > 0 ? found - 1 : 0; /* the last sample may have been incomplete */
    }
    return 0;
}

void sampling_report(const struct bench_run *run, const char *name, const int64_t *samples,
                     size_t count, size_t words)
{
    char fact[FACT_NAME_MAX];
    const size_t before = discarded ? complete(samples, count, words) : count;

    if (before < count) {
        snprintf(fact, sizeof(fact), FACT_SAMPLED_BEFORE "%s", name);
        bench_fact(run, fact, UNIT_COUNT, (int64_t)before);
    }
}
