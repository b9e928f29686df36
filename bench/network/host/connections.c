/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/network/host/connections.h"

#include <string.h>

#include "bench/network/names.h"

#define REPORT_ROW "12"

#define OF_SETUP(part) SERIES_SETUP "." part

static const char *const setup_series[SETUP_PARTS] = {OF_SETUP(PART_SYN), OF_SETUP(PART_ANSWER),
                                                      OF_SETUP(PART_ESTABLISHED)};
static const char *const setup_parts[SETUP_PARTS] = {PART_SYN, PART_ANSWER, PART_ESTABLISHED};
static const char *const overhead_parts[OVERHEAD_PARTS] = {SERIES_RAW, SERIES_OVERHEAD};

bool connection_setup_of(const struct run_bench *bench, const char *path, struct split *split)
{
    const bool there = split_of(bench, SERIES_SETUP, setup_series, SETUP_PARTS, path, split);

    split->names = setup_parts;
    return there;
}

bool connection_overhead_of(const struct run_bench *bench, const char *path, struct split *split)
{
    return split_of(bench, SERIES_TCP, overhead_parts, OVERHEAD_PARTS, path, split);
}

const struct estimates_row *connection_report(void)
{
    const struct estimates_row *row;

    for (size_t i = 0; (row = estimates_row_at(i)) != NULL; i++) {
        if (strcmp(row->number, REPORT_ROW) == 0) {
            return row;
        }
    }
    return NULL;
}
