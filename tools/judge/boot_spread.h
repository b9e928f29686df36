/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much boots of the same image differ: of each metric the median (or rate) of each boot, how
 * these spread, and which difference groups of as many boots could show.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tools/judge/boots.h"

struct boot_spread_row {
    char *name; /* the metric's; "NAME cold"; "NAME rate" */
    const char *unit;
    size_t boots;      /* 2 or more */
    double mean;       /* of the boots' medians, or rates, in the unit */
    double low, high;  /* the least and the greatest of them */
    double deviation;  /* as a part of the mean; INFINITY where that is 0 and they vary */
    double detectable; /* the same; what two such groups show with a chance of 80 %, one metric
                        * being compared */
    bool equal;        /* the boots have the same values */
};

struct boot_spread {
    struct boot_spread_row *item; /* the largest deviation first */
    size_t count, capacity;
    size_t boots;
    size_t equal; /* rows */
    const char *lengths;
};

/* `pattern`: compare.h. The metrics must outlive it. */
void boot_spread_of(struct boot_group group, const char *pattern, struct boot_spread *spread);
void boot_spread_free(struct boot_spread *spread);

/* In 80 columns; without `all` only metrics whose boots differ. */
void boot_spread_print(FILE *out, const struct boot_spread *spread, bool all);

/*
 * {"schema": "tare compare --aa", "version": 1, "boots": n, "files": [text], "lengths": unit,
 *  "warnings": [text],
 *  "metrics": [{"name", "unit", "boots", "mean", "low", "high", "deviation", "detectable",
 *      "equal"}]}
 *
 * deviation and detectable are parts of the mean; infinite ones are null.
 */
void boot_spread_json(FILE *out, const struct boot_spread *spread, const char *const *files,
                      const char *const *warnings, size_t warning_count);
