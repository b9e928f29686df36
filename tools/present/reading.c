/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/present/reading.h"

#include <string.h>

static struct bench_reading *first;

/* The order of registration is that of the linker: it decides nothing that a person sees. */
static bool is_before(const struct bench_reading *left, const struct bench_reading *right)
{
    if (left->order != right->order) {
        return left->order < right->order;
    }
    return strcmp(left->bench != NULL ? left->bench : "",
                  right->bench != NULL ? right->bench : "") < 0;
}

void bench_reading_register(struct bench_reading *reading)
{
    struct bench_reading **at = &first;

    while (*at != NULL && !is_before(reading, *at)) {
        at = &(*at)->next;
    }
    reading->next = *at;
    *at = reading;
}

const struct bench_reading *bench_reading_at(size_t index)
{
    const struct bench_reading *reading = first;

    while (reading != NULL && index > 0) {
        reading = reading->next;
        index--;
    }
    return reading;
}

bool bench_reading_is_of(const struct bench_reading *reading, const struct run_bench *bench)
{
    return reading->bench == NULL || strcmp(reading->bench, bench->name) == 0;
}

const struct bench_reading *bench_reading_shown(const struct run_bench *bench)
{
    for (const struct bench_reading *reading = first; reading != NULL; reading = reading->next) {
        if (reading->show != NULL && bench_reading_is_of(reading, bench)) {
            return reading;
        }
    }
    return NULL;
}
