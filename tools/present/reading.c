/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/present/reading.h"

#include <string.h>

static struct bench_reading *first;

/* Returns whether `left` is used before `right`. The order of registration depends on the linker
 * and affects nothing that a person sees. */
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

static bool is_of(const struct bench_reading *reading, const struct run_bench *bench)
{
    return bench == NULL || reading->bench == NULL || strcmp(reading->bench, bench->name) == 0;
}

const struct bench_reading *bench_reading_next(const struct bench_reading *after,
                                               const struct run_bench *bench)
{
    const struct bench_reading *reading = after != NULL ? after->next : first;

    while (reading != NULL && !is_of(reading, bench)) {
        reading = reading->next;
    }
    return reading;
}

const struct bench_reading *bench_reading_shown(const struct run_bench *bench)
{
    const struct bench_reading *reading = NULL;

    do {
        reading = bench_reading_next(reading, bench);
    } while (reading != NULL && reading->show == NULL);
    return reading;
}
