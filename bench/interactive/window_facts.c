/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/window_facts.h"

#include <stddef.h>
#include <stdio.h>

#include "kernel/run/names.h"

#define NAME_MAX 80

void window_facts_add(const struct bench_run *run, const char *of, const char *name,
                      const char *unit, int64_t value)
{
    char full[NAME_MAX];

    snprintf(full, sizeof(full), "%s.%s", name, of);
    bench_fact(run, full, unit, value);
}

void window_facts_publish(const struct bench_run *run, const char *of,
                          const struct window_counts *counts)
{
    static const struct {
        const char *name;
        size_t offset;
    } counted[] = {
        {"requests", offsetof(struct window_counts, requests)},
        {"merged", offsetof(struct window_counts, merged)},
        {"drawn", offsetof(struct window_counts, drawn)},
        {"flushes", offsetof(struct window_counts, flushes)},
        {"address_spaces", offsetof(struct window_counts, address_spaces)},
        {"far_calls", offsetof(struct window_counts, far_calls)},
        {"segment_loads", offsetof(struct window_counts, segment_loads)},
        {"unaligned", offsetof(struct window_counts, unaligned)},
        {"paints", offsetof(struct window_counts, paints)},
    };

    for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++) {
        const uint64_t *value = (const uint64_t *)((const char *)counts + counted[i].offset);

        window_facts_add(run, of, counted[i].name, UNIT_COUNT, (int64_t)*value);
    }
}
