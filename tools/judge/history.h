/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A history: many runs of a machine in order, and where a metric changed.
 *
 * Of each run one figure is taken of each metric: its median, the rate of sparse events, or a share
 * of the time. Runs are grouped by kind of time and machine, which never mix. Within a group they
 * are in the order of their dates, then of their numbers and names. In exact and simulated time the
 * clock of the machine starts alike in each run, so that dates are none: there numbers and names
 * alone are the order, and parts of a name that are numbers count as such.
 *
 * In exact and simulated time each difference from the run before is a change, also one of values
 * whose median is the same. Else changes are found by change_points.h, with a chance of `alpha`
 * that a metric of a group has any where there is none; those below the threshold are small.
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

#define HISTORY_ALPHA        0.001
#define HISTORY_LAST         200 /* runs of a group that are searched: the newest */
#define HISTORY_RECENT       15  /* of them a worse change counts as a failure */
#define HISTORY_RECENT_EXACT 5   /* the same in exact time, where a change shows at once */

struct history_settings {
    double alpha;
    double threshold;    /* a part of the level before; NAN: COMPARE_THRESHOLD, in exact time 0 */
    double stolen;       /* ppm: of shares of the time, in place of the threshold */
    size_t last;         /* runs, 1 or more */
    size_t recent;       /* runs; 0: the default of the kind of time */
    const char *pattern; /* names, as fnmatch(3) has it; NULL: all */
    bool spread;         /* also take what is behind `spread` in struct history_value */
};

/* What may have changed together with a metric. */
enum history_label {
    HISTORY_IMAGE,
    HISTORY_FIRMWARE,
    HISTORY_EMULATOR,
    HISTORY_PLAN,
    HISTORY_LABELS,
};
/* "image", "firmware", "emulator", "plan". */
extern const char *const history_label_names[HISTORY_LABELS];

struct history_value {
    size_t series;
    double value;
    uint64_t print; /* of all its values in order: equal where all are */
    /* With settings.spread; NAN: not known. Of a rate p99 and max are not. */
    double low, high; /* 95 % interval of `value` */
    double p99, max;
};

struct history_run {
    char *name;
    char *date; /* "": none, or none that means anything */
    int64_t number;
    size_t group;
    char *labels[HISTORY_LABELS]; /* NULL: not known */
    struct history_value *values;
    size_t value_count, value_capacity;
};

struct history_series {
    char *name; /* the metric's; "NAME cold"; "NAME rate" */
    char *unit;
    enum metric_better better;
    double work; /* as struct metric has it, of the first run */
    bool is_share;
};

struct history_group {
    char *key;
    char *kind;          /* "exact" */
    char *time;          /* "exact time, in instructions" */
    char *machine;       /* processor, how many, emulator */
    bool exact;          /* equal runs are equal to the tick */
    size_t first, count; /* of the runs, in order */
    size_t searched;     /* the newest of them */
    size_t least;        /* runs in which a change can be found at all */
};

enum history_verdict {
    HISTORY_WORSE,
    HISTORY_BETTER,
    HISTORY_CHANGED, /* of what is neither good nor bad, or of values with the same median */
    HISTORY_SMALL,   /* below the threshold */
    HISTORY_VERDICTS,
};
/* "worse", "better", "changed", "small". */
extern const char *const history_verdict_names[HISTORY_VERDICTS];

struct history_change {
    size_t group, series;
    size_t from, at;      /* runs: the last of the old level, the first of the new one */
    double before, after; /* figures of the levels, in the series' unit */
    double shift;         /* (after - before) as a part of before; INFINITY where that is 0 */
    double p;             /* NAN: no chance is in it */
    enum history_verdict verdict;
    bool is_recent;
    bool is_undone; /* worse, but the newest level is as good as the one before it, or better */
    bool fails;     /* worse, recent, and not undone */
    bool changed_labels[HISTORY_LABELS]; /* between both runs */
};

struct history {
    struct history_settings settings;
    struct history_run *runs;
    size_t run_count, run_capacity;
    struct history_series *series; /* in the order of the runs that were added */
    size_t series_count, series_capacity;
    struct history_group *groups;
    size_t group_count, group_capacity;
    struct history_change *changes; /* by group, then series, then run */
    size_t change_count, change_capacity;
    size_t verdicts[HISTORY_VERDICTS];
    size_t failing;  /* changes that fail */
    char **left_out; /* "NAME: reason" */
    size_t left_out_count, left_out_capacity;
};

void history_init(struct history *history, const struct history_settings *settings);
void history_free(struct history *history);
/* Takes the figures of a run; `number` is its place where it has one, else 0. */
void history_add(struct history *history, const char *name, int64_t number, struct run *run);
/* After the last run: brings them into order, by group. */
void history_order(struct history *history);
/* The same, and finds the changes. */
void history_judge(struct history *history);
/* NULL: the run has none. */
const struct history_value *history_value_in(const struct history_run *run, size_t series);

/* How many of a group's searched runs have a figure of the series. */
size_t history_figures(const struct history *history, size_t group, size_t series);
/* HISTORY_RECENT, or what the settings have. */
size_t history_recent(const struct history *history, size_t group);
