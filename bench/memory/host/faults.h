/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the time of page faults goes, as bench pagefault reports it (bench/memory/pagefault.c).
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

/* The same of pages of a mapped file (bench/memory/file_faults.h). */
#define MAPPED_SPLITS 2
#define MAPPED_PARTS  5

extern const char *const mapped_splits[MAPPED_SPLITS]; /* file soft */
extern const char *const mapped_parts[MAPPED_PARTS];   /* entry lookup device fill return */

struct mapped_split {
    int64_t whole;
    int64_t parts[MAPPED_PARTS];
    bool there[MAPPED_PARTS]; /* `soft` has no device */
};

bool mapped_split_read(const struct run_bench *bench, const char *kind, struct mapped_split *split);
