/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One metric in the boots of a group: its values boot by boot, and one statistic of each boot.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/present/metrics.h"

/* Runs of one side, in order. */
struct boot_group {
    const struct metrics *const *runs;
    size_t count;
};

/* Unit of lengths: instructions if all runs are in exact time, otherwise nanoseconds, or ticks if
 * the rate of a TSC is unknown. */
struct boot_scale {
    const char *unit;
    bool exact; /* all runs of both groups are in exact time */
    bool timed; /* nanoseconds per tick are known in all of them */
};
struct boot_scale boot_scale_of(struct boot_group a, struct boot_group b);

/* What precedes the place of a boot in INFO_BOOT_ORDER. */
#define BOOT_ORDER_PLACE ", boot "

/* How the boots of two groups follow each other. */
enum boot_order {
    BOOT_ORDER_UNKNOWN, /* not so, or unknown: a drift of the machine may look like a difference */
    BOOT_ORDER_DRAWN,   /* drawn at random by `tare boot --interleave` */
    BOOT_ORDER_TURNS,   /* by turns: each pair of successive boots has one of each group */
};
enum boot_order boot_order_of(struct boot_group a, struct boot_group b);

/* Returns the metric of this name and unit in a run, or NULL. */
const struct metric *boot_metric(const struct metrics *run, const struct metric *like);

/* Selects the values of a metric. */
enum boot_values {
    BOOT_WARM,
    BOOT_COLD,
};

struct boot {
    /* values in ticks or the metric's unit, in the order in which they were taken */
    const double *taken;
    size_t n;       /* 1 or more */
    double *sorted; /* the same values, sorted, in the unit of the scale */
    double median;  /* median; for a share of time, the share of the whole run */
};

/* The boots that have such values, in the order of the group. */
struct boots {
    struct boot *item;
    size_t *index; /* index of each boot in the group */
    size_t count;
};

/* Collects the boots. Values are scaled to the same amount of work as those of `like` (metrics.h).
 */
void boots_of(struct boot_group group, const struct metric *like, enum boot_values which,
              const struct boot_scale *scale, struct boots *boots);
void boots_free(struct boots *boots);

/* Return the median, or the quantile `q`, of each boot; the caller frees them. */
double *boots_medians(const struct boots *boots);
double *boots_quantiles(const struct boots *boots, double q);

/* Returns all values of all boots, sorted; the caller frees them. */
double *boots_pool(const struct boots *boots, size_t *n);

/* Returns the fewest values of any boot, or 0 if there is no boot. */
size_t boots_fewest(const struct boots *boots);

/* Have all boots the same values? */
bool boots_are_equal(const struct boots *boots);

/* Rates of sparse events, for the boots that looked for them. */
struct boot_rates {
    size_t boots;
    double *rate;  /* rate of each boot, in the unit */
    size_t *index; /* index of each boot in the group */
    const char *unit;
    uint64_t events; /* events of all boots together */
    double time;     /* total time in which events were looked for */
};
void boot_rates_of(struct boot_group group, const struct metric *like,
                   const struct boot_scale *scale, struct boot_rates *rates);
void boot_rates_free(struct boot_rates *rates);
bool boot_rates_are_equal(const struct boot_rates *rates);
