/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * History: many runs of a machine in order, and where a metric changed.
 *
 * One figure is taken for each metric from each run: its median, the rate of sparse events, or a
 * share of the time. Runs are grouped by time base and machine, which are never mixed. Within a
 * group, runs are ordered by the time at which the host captured them if each run has one and no
 * two are equal, as those of copied logs are; otherwise by number and name, and numeric parts of a
 * name are compared as numbers. The date of the machine's clock gives no order: it starts anew in
 * each boot if the clock has no battery, or if time is exact or simulated.
 *
 * In exact and simulated time, each difference from the previous run is a change, even if only
 * values changed and not their median. Otherwise change_points.h finds steps and trends; `alpha` is
 * the probability that a metric of a group without any change is reported as changed. Changes below
 * the threshold are "small".
 *
 * INVALID runs are left out, each with its reason.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/judge/compare.h"
#include "tools/present/metrics.h"
#include "tools/run/run.h"
#include "tools/stats/change_points.h"

#define HISTORY_ALPHA 0.001
#define HISTORY_LAST  200 /* number of newest runs of a group that are searched */
/* a worse change within this many newest runs counts as a failure */
#define HISTORY_RECENT       15
#define HISTORY_RECENT_EXACT 5 /* the same for exact time, where a change shows at once */

struct history_settings {
    double alpha;
    /* fraction of the previous level; NAN: COMPARE_THRESHOLD, or 0 in exact time */
    double threshold;
    double stolen;        /* threshold for shares of the time, in ppm */
    bool by_instructions; /* as in struct compare_settings */
    double instructions;
    size_t last;         /* number of newest runs to search, 1 or more */
    size_t recent;       /* number of newest runs that can fail; 0: the default of the time base */
    const char *pattern; /* selects metrics by name, as for fnmatch(3); NULL: all */
    bool spread;         /* also collect the spread members of struct history_value */
};

/* What may have changed together with a metric. */
enum history_label {
    HISTORY_IMAGE,
    HISTORY_FIRMWARE,
    HISTORY_EMULATOR,
    HISTORY_PLAN,
    HISTORY_L1,
    HISTORY_LABELS,
};
/* Names of the labels: "image", "firmware", "emulator", "plan", "L1 kernel" (the kernel below the
 * image's hypervisor, and its command line). */
extern const char *const history_label_names[HISTORY_LABELS];

struct history_value {
    size_t series;
    double value;
    uint64_t print; /* hash of all values in order: equal if all values are equal */
    /* The following members are set only with settings.spread; NAN: unknown. For a rate, p99 and
     * max are unknown. */
    double low, high; /* 95 % interval of `value` */
    double p99, max;
};

enum history_order {
    HISTORY_BY_CAPTURE,
    HISTORY_BY_NAME, /* by number, then by name */
    HISTORY_BY_DATE, /* never used, but compared with the order that is used */
    HISTORY_ORDERS,
};
/* Names of the orders: "capture", "name", "date". */
extern const char *const history_order_names[HISTORY_ORDERS];

struct history_run {
    char *name;
    /* time of the capture, and date of the machine's clock; "": unknown, or without meaning */
    char *captured, *date;
    enum history_order order; /* that of the group */
    int64_t number;
    size_t group;
    char *labels[HISTORY_LABELS]; /* NULL: unknown */
    struct history_value *values;
    size_t value_count, value_capacity;
};

struct history_series {
    char *name; /* name of the metric, or "NAME cold", "NAME rate" */
    char *unit;
    enum metric_better better;
    double work; /* as in struct metric, of the first run */
    bool is_share;
};

struct history_group {
    char *key;
    char *kind;          /* time base: "exact" */
    char *time;          /* time base in words: "exact time, in instructions" */
    char *machine;       /* processor, number of processors, emulator */
    bool exact;          /* equal runs are equal to the tick */
    bool is_shared;      /* exact time that somebody else shares: medians are compared */
    size_t first, count; /* range of the group's runs, in order */
    size_t searched;     /* number of newest runs that are searched */
    size_t least;        /* least number of runs in which a change can be found */
    enum history_order order;
    /* number of pairs of successive runs that an order puts the other way round */
    size_t against[HISTORY_ORDERS];
};

enum history_verdict {
    HISTORY_WORSE,
    HISTORY_BETTER,
    /* change of a metric that is neither good nor bad, or of values with the same median */
    HISTORY_CHANGED,
    HISTORY_SMALL,   /* below the threshold */
    HISTORY_DROPPED, /* a step that correlated runs may show by chance */
    HISTORY_VERDICTS,
};
/* Names of the verdicts: "worse", "better", "changed", "small", "dropped". */
extern const char *const history_verdict_names[HISTORY_VERDICTS];

struct history_change {
    size_t group, series;
    /* indices of runs: the last of the old level and the first of the new one; of a trend, the
     * oldest run and the one that struct change_point names */
    size_t from, at;
    enum change_kind kind;
    double before, after; /* values of the two levels, in the unit of the series */
    double shift;         /* (after - before) as a fraction of before; INFINITY if before is 0 */
    double p;             /* probability of the change by chance; NAN: chance plays no role */
    enum history_verdict verdict;
    bool is_recent;
    /* worse, but the newest level is at least as good as the one before this change */
    bool is_undone;
    bool fails;                          /* worse, recent, and not undone */
    bool changed_labels[HISTORY_LABELS]; /* labels that differ between the two runs */
};

struct history {
    struct history_settings settings;
    struct history_run *runs;
    size_t run_count, run_capacity;
    struct history_series *series; /* in the order of the runs that were added */
    size_t series_count, series_capacity;
    struct history_group *groups;
    size_t group_count, group_capacity;
    /* by group, then series, then in the order of change_points_find() */
    struct history_change *changes;
    size_t change_count, change_capacity;
    size_t verdicts[HISTORY_VERDICTS];
    size_t failing;  /* number of changes that fail */
    char **left_out; /* runs that were left out: "NAME: reason" */
    size_t left_out_count, left_out_capacity;
};

void history_init(struct history *history, const struct history_settings *settings);
void history_free(struct history *history);
/* Adds the figures of a run. `number` is its number in a fleet, or 0. */
void history_add(struct history *history, const char *name, int64_t number, struct run *run);
/* Sorts the runs into groups. Call after the last run was added. */
void history_order(struct history *history);
/* Does the same, and finds the changes. */
void history_judge(struct history *history);
/* Returns the run's value of a series, or NULL. */
const struct history_value *history_value_in(const struct history_run *run, size_t series);

/* Returns how many of a group's searched runs have a value of the series. */
size_t history_figures(const struct history *history, size_t group, size_t series);
/* Returns the number of recent runs: that of the settings, or the default of the time base. */
size_t history_recent(const struct history *history, size_t group);
