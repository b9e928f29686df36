/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics of bench aliasing: what was hidden from a sampling profiler and what it saw place each
 * other.
 */
#include <string.h>

#include "bench/tasks/names.h"
#include "tools/present/reading.h"

static bool aliasing_places(const char *series)
{
    return strcmp(series, SERIES_HIDDEN) == 0 || strcmp(series, SERIES_SEEN) == 0;
}

READING_REGISTER(aliasing_metrics) = {
    .bench = BENCH_ALIASING, .order = 500, .metrics = {.places = aliasing_places}};
