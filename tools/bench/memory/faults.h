/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the time of page faults goes, as bench pagefault reports it (bench/system/pagefault.c).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/run/run.h"

#define FAULT_SPLITS 4
#define FAULT_PARTS  4

extern const char
    *const fault_splits[FAULT_SPLITS];             /* demand_zero minor protection copy_on_write */
extern const char *const fault_parts[FAULT_PARTS]; /* entry walk fill return */

/* Medians in ticks, less that of `empty` each. The parts are of a run of their own, with stamps in
 * the kernel: their sum is beyond the whole by what it takes to keep these. */
struct fault_split {
    int64_t whole;
    int64_t parts[FAULT_PARTS];
};

/* All of a kind's, or none. */
bool fault_split_read(const struct run_bench *bench, const char *kind, struct fault_split *split);
