/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/counters/host/phase_counts.h"

#include <stdio.h>
#include <string.h>

#define NAME_SIZE 256

bool phase_count_is_fact(const struct run *run, const struct run_fact *fact, const char **phase)
{
    for (size_t i = 0; i < run->event_count; i++) {
        const size_t length = strlen(run->events[i].name);

        if (strncmp(fact->name, run->events[i].name, length) == 0 && fact->name[length] == '.') {
            *phase = fact->name + length + 1;
            return true;
        }
    }
    return false;
}

static bool was_before(const struct run *run, const struct run_bench *bench, size_t index,
                       const char *phase)
{
    const char *other;

    for (size_t i = 0; i < index; i++) {
        if (phase_count_is_fact(run, &bench->facts[i], &other) && strcmp(other, phase) == 0) {
            return true;
        }
    }
    return false;
}

const char *phase_counted_at(const struct run *run, const struct run_bench *bench, size_t index)
{
    const char *phase;

    for (size_t i = 0; i < bench->fact_count; i++) {
        if (phase_count_is_fact(run, &bench->facts[i], &phase) &&
            !was_before(run, bench, i, phase) && index-- == 0) {
            return phase;
        }
    }
    return NULL;
}

const struct run_fact *phase_count_of(const struct run_bench *bench, const char *event,
                                      const char *phase)
{
    char name[NAME_SIZE];

    snprintf(name, sizeof(name), "%.60s.%.180s", event, phase);
    return run_find_fact(bench, name);
}
