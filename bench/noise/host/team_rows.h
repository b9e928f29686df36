/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Benches gap and selfish: what is known of all gaps of each processor, kept or not. Exact: from
 * the facts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

struct team_row {
    uint64_t number; /* of the processor */
    bool known;      /* false: a fact is missing, and of what follows nothing is known */
    int64_t smallest;
    int64_t threshold;
    uint64_t over;
    int64_t stolen;
    double stolen_ppm;           /* NAN: gaps hold the loop itself */
    int64_t largest, largest_at; /* with over above 0 */
    double watched;              /* ticks in which a gap is seen */
};

struct team_rows {
    struct team_row *row; /* the kernel's own processor first */
    size_t count;
};

void team_rows_of(const struct run_bench *bench, struct team_rows *rows);
void team_rows_free(struct team_rows *rows);
/* The row with the longest gap of all. NULL: no gap, or not known of each processor. */
const struct team_row *team_rows_longest(const struct team_rows *rows);

/* Is it a fact of one processor, NAME.N, with one of these names? For views whose rows have it. */
bool team_fact_is_of(const struct run_fact *fact, const char *const *names, size_t count);
/* The same with the names that these rows are made of. */
bool team_shows_fact(const struct run_fact *fact);
