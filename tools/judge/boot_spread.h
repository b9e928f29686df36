/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much boots of the same image differ: for each metric the median (or rate) of each boot, the
 * spread of these, and the difference that two groups of as many boots could show.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tools/judge/boots.h"

struct boot_spread_row {
    char *name; /* name of the metric, or "NAME cold", "NAME rate" */
    const char *unit;
    size_t boots;     /* 2 or more */
    double mean;      /* mean of the boots' medians, or rates, in the unit */
    double low, high; /* smallest and largest of them */
    /* standard deviation as a fraction of the mean; INFINITY if the mean is 0 and they vary */
    double deviation;
    /* smallest difference, as a fraction of the mean, that two such groups show with a probability
     * of 80 % if one metric is compared */
    double detectable;
    bool equal; /* all boots have the same values */
};

struct boot_spread {
    struct boot_spread_row *item; /* largest deviation first */
    size_t count, capacity;
    size_t boots;
    size_t equal; /* number of rows with equal boots */
    const char *lengths;
};

/* Computes the spread. `pattern` is described in compare.h. The metrics must outlive it. */
void boot_spread_of(struct boot_group group, const char *pattern, struct boot_spread *spread);
void boot_spread_free(struct boot_spread *spread);

/* Prints the spread in 80 columns; without `all` only metrics whose boots differ. */
void boot_spread_print(FILE *out, const struct boot_spread *spread, bool all);

/*
 * Writes the spread as JSON:
 *
 * {"schema": "tare compare --aa", "version": 1, "boots": n, "files": [text], "lengths": unit,
 *     "warnings": [text],
 *     "metrics": [{"name", "unit", "boots", "mean", "low", "high", "deviation", "detectable",
 *         "equal"}]}
 *
 * deviation and detectable are fractions of the mean; infinite ones are null.
 */
void boot_spread_json(FILE *out, const struct boot_spread *spread, const char *const *files,
                      const char *const *warnings, size_t warning_count);
