/* SPDX-License-Identifier: BSD-2-Clause */
/* What is made of the series of the benches of threads on several processors. */
#pragma once

#include "tools/present/view.h"

/* Bench `quantum`: a hog, and what round robin makes of it. */
struct smp_hog {
    int64_t cpu;
    size_t sharers;         /* hogs of its processor, itself included */
    double share;           /* of all time that these hogs had, 0 to 1 */
    size_t turns;           /* complete turns; without any, run and ready are 0 */
    double run, ready;      /* medians, in ticks */
    int64_t expected_ready; /* ticks: a quantum for each other hog */
};

/* Returns false if there is no such hog, or a part of its data is missing. */
bool smp_hog_read(const struct run_bench *bench, size_t index, struct smp_hog *hog);
