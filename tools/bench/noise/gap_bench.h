/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench `gap` of a run: how many gaps there were, and which of those that were kept hold SMIs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

struct gap_smis {
    const struct run_series *series; /* SMIs a kept gap; NULL where they were not counted */
    bool whole;                      /* all were kept; of each, length and SMIs are there */
    size_t gaps;                     /* that hold one or more, of those that are there */
    int64_t longest;                 /* of these; 0 where there is none */
};

/* Gaps above the threshold that came when there was no more room to keep one. */
uint64_t gap_unkept_of(const struct run_bench *bench);

/* From series gap_length and gap_smi. */
void gap_smis_of(const struct run_bench *bench, struct gap_smis *smis);
