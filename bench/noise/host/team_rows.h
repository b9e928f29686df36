/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Benches gap and selfish: the totals of all gaps of each processor, kept or not. They are exact
 * because they come from the facts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

struct team_row {
    uint64_t number; /* number of the processor */
    bool known;      /* false: a fact is missing, and the members below are not valid */
    int64_t smallest;
    int64_t threshold;
    uint64_t over;
    int64_t stolen;
    double stolen_ppm;           /* NAN: the gaps are the loop itself */
    int64_t largest, largest_at; /* only if over is above 0 */
    double watched;              /* ticks in which a gap is seen */
};

struct team_rows {
    struct team_row *row; /* the kernel's own processor first */
    size_t count;
};

void team_rows_of(const struct run_bench *bench, struct team_rows *rows);
void team_rows_free(struct team_rows *rows);
/* Returns the row with the longest gap. Returns NULL if there is no gap or a processor's totals are
 * unknown. */
const struct team_row *team_rows_longest(const struct team_rows *rows);

/* Returns whether `fact` is a fact of one processor, NAME.N, with one of these names. Views use it
 * for facts that their rows already show. */
bool team_fact_is_of(const struct run_fact *fact, const char *const *names, size_t count);
/* Does the same with the names that these rows are made from. */
bool team_shows_fact(const struct run_fact *fact);
