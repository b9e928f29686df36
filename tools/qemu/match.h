/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the rows between which the samples of a series lie.
 *
 * A sample is what the TSC counted between two readings, of whose addresses nothing is known. All
 * pairs of addresses are tried: a stretch begins at the last reading at the one address before a
 * reading at the other. A series fits where its samples are stretches in turn, each or every
 * second, third, ..., to the tick. Where there is no such place, a series of MATCH_ORDER_MIN
 * samples or more fits where they are stretches in order, with any others between them. Where
 * several places fit, only counts that are the same at all of them are known.
 *
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/qemu/rows.h"

#define MATCH_STEPS      16      /* of stretches of a pair a series may have every 16th */
#define MATCH_ROWS_MAX   1000000 /* of an address; one that is read more often is a poll */
#define MATCH_PLACES_MAX 10000   /* that are compared; of more, instructions alone are known */
#define MATCH_ORDER_MIN  4
#define MATCH_WORK_MAX   20000000 /* stretches of a pair that are compared in order; the same */

struct match_series {
    const char *name;
    uint64_t *instructions; /* of each sample; match_free() frees them */
    size_t count;
    size_t places; /* that fit */
    bool known[ROW_COLUMNS];
    int64_t *counts[ROW_COLUMNS]; /* `count` each, of those known; the caller frees them */
};

/* Tries rows from `first` to `last` for each series, which begins as {.name, .instructions,
 * .count}. */
void match_all(const struct rows *rows, uint64_t first, uint64_t last, struct match_series *series,
               size_t series_count);

/* Frees what match_all() made, and the samples. */
void match_free(struct match_series *series);
