/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One metric in the boots of a group: its values boot by boot, and one statistic of each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/present/metrics.h"

/* Runs of one side, the first first. */
struct boot_group {
    const struct metrics *const *runs;
    size_t count;
};

/* What lengths are given in: instructions where time is exact in all runs, else nanoseconds, or
 * ticks where the rate of a TSC is not known. */
struct boot_scale {
    const char *unit;
    bool exact; /* time is exact in all runs of both groups */
    bool timed; /* nanoseconds a tick are known in all of them */
};
struct boot_scale boot_scale_of(struct boot_group a, struct boot_group b);

/* A metric of this name and unit in a run; NULL: there is none. */
const struct metric *boot_metric(const struct metrics *run, const struct metric *like);

/* Which values of a metric. */
enum boot_values {
    BOOT_WARM,
    BOOT_COLD,
};

struct boot {
    const double *taken; /* in ticks or the metric's unit, in the order in which they were taken */
    size_t n;            /* 1 or more */
    double *sorted;      /* in the unit of the scale */
    double median;       /* of a share of time, that of the whole */
};

/* The boots that have such values, in the order of the group. */
struct boots {
    struct boot *item;
    size_t count;
    /* The least distance of two different values of the same boot, in the unit of the scale: values
     * are no finer. 0: no boot's values vary. */
    double step;
};

/* Values are taken for as much work as those of `like` (metrics.h). */
void boots_of(struct boot_group group, const struct metric *like, enum boot_values which,
              const struct boot_scale *scale, struct boots *boots);
void boots_free(struct boots *boots);

/* The median of each boot, or the quantile `q`; the caller frees them. */
double *boots_medians(const struct boots *boots);
double *boots_quantiles(const struct boots *boots, double q);

/* All values of all boots, sorted; the caller frees them. */
double *boots_pool(const struct boots *boots, size_t *n);

/* The fewest values of any boot; 0: there is no boot. */
size_t boots_fewest(const struct boots *boots);

/* Has each boot the same values? */
bool boots_are_equal(const struct boots *boots);

/* Sparse events, of the boots that looked for them. */
struct boot_rates {
    size_t boots;
    double *rate; /* of each, in the unit */
    const char *unit;
    uint64_t events; /* of all together */
    double time;     /* in which they were looked for */
};
void boot_rates_of(struct boot_group group, const struct metric *like,
                   const struct boot_scale *scale, struct boot_rates *rates);
void boot_rates_free(struct boot_rates *rates);
bool boot_rates_are_equal(const struct boot_rates *rates);
