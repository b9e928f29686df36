/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the rows between which the samples of a series lie.
 *
 * A sample is what the TSC counted between two readings at unknown addresses. All pairs of
 * addresses (A, B) are tried. An interval of a pair lasts from a reading at A to the next reading
 * at B; if there are several readings at A before that reading at B, the last one counts.
 *
 * A pair fits a series if the samples equal consecutive intervals of the pair to the tick, or every
 * second interval, every third, and so on. Each such run of intervals is a place of the series.
 * If no pair fits, a series of at least MATCH_ORDER_MIN samples also fits a pair whose intervals
 * contain the samples in the same order, with any other intervals between them. If a series fits at
 * several places, only those counts are known that are the same at all places.
 *
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/qemu/rows.h"

#define MATCH_STEPS    16      /* a series may consist of every 16th interval of a pair */
#define MATCH_ROWS_MAX 1000000 /* rows of an address; one that is read more often is a poll */
/* places that are compared; if more fit, only instructions are known */
#define MATCH_PLACES_MAX 10000
#define MATCH_ORDER_MIN  4
#define MATCH_WORK_MAX   20000000 /* intervals that are compared if samples must only be in order */

struct match_series {
    const char *name;
    uint64_t *instructions; /* of each sample; match_free() frees them */
    size_t count;
    size_t places; /* number of places that fit */
    bool known[ROW_COLUMNS];
    int64_t *counts[ROW_COLUMNS]; /* `count` counts of each known column; the caller frees them */
};

/* Tries the rows from `first` to `last` for each series, which must be initialised as {.name,
 * .instructions, .count}. */
void match_all(const struct rows *rows, uint64_t first, uint64_t last, struct match_series *series,
               size_t series_count);

/* Frees what match_all() made, and the samples. */
void match_free(struct match_series *series);
