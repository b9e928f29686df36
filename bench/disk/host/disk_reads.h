/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the benches of disks report of reads (bench/disk/names.h): how long each took, and where
 * that time went.
 *
 * All lengths are ticks of time, in exact time too: a thread that waits for a disk runs no
 * instructions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/figure/figure.h"
#include "tools/present/figure_kit.h"
#include "tools/present/view.h"
#include "tools/run/run.h"
#include "tools/stats/statistics.h"

#define DISK_POINTS_MAX 64
#define DISK_NAME_MAX   64

/* Adds the numbers N of series "NAME.N", sizes in bytes or numbers of threads, to `count` points,
 * which ascend and are there once each. Returns how many there are then; those beyond
 * DISK_POINTS_MAX are left out. */
size_t disk_points(const struct run_bench *bench, const char *name, int64_t points[DISK_POINTS_MAX],
                   size_t count);
/* Takes a number, without a sign, from the front of a text; false: there is none. */
bool read_number(const char **text, int64_t *value);
/* Is it one of `count` names, with anything behind a point or nothing? */
bool is_named(const char *name, const char *const *names, size_t count);
/* Adds one such point. */
size_t disk_add_point(int64_t points[DISK_POINTS_MAX], size_t count, int64_t point);
/* Series "NAME.OF", or "NAME.N"; NULL: there is none, or not all of its samples arrived. */
const struct run_series *series_of(const struct run_bench *bench, const char *name, const char *of);
const struct run_series *disk_series(const struct run_bench *bench, const char *name,
                                     int64_t point);
/* The only value of series "NAME.N"; false: it has none, or several. */
bool disk_value(const struct run_bench *bench, const char *name, int64_t point, int64_t *value);

/*
 * Lengths that benches of disks and of the network report as a whole and its parts: series
 * "WHOLE.OF", and "PART.OF" of each part. All are ticks.
 */

#define SPLIT_PARTS_MAX 9

/* Series are of the run: it must outlive them. */
struct split {
    size_t n;
    const int64_t *whole;
    size_t count;                         /* of parts */
    const char *const *names;             /* of the parts, for a person */
    const int64_t *part[SPLIT_PARTS_MAX]; /* NULL: the run lacks it */
};

/* False: the whole is missing, or a part has another length than it. */
bool split_of(const struct run_bench *bench, const char *whole, const char *const *names,
              size_t count, const char *of, struct split *split);
/* Are there any? A program under Linux has none. */
bool split_has_parts(const struct split *split);
/* What is left of each whole without the parts that are there. */
void split_residual(const struct split *split, struct statistics *statistics);
/* Of each sample of `from` less that of `what`. */
void split_difference(const int64_t *from, const int64_t *what, size_t n,
                      struct statistics *statistics);
/* A lane with the medians of the parts, one behind the other; without parts the whole, by its name.
 */
void split_add_lane(struct figure *figure, const char *name, const char *whole,
                    const struct split *split, const struct figure_scale *scale);

/* Spans of a read, as they follow each other. */
enum disk_span {
    DISK_SUBMIT,
    DISK_DEVICE,
    DISK_INTERRUPT,
    DISK_WAKE,
    DISK_SPANS,
};

/* Reads of one size, or of one number of threads, by their spans. */
struct disk_reads {
    struct split split;
    const int64_t *law; /* the service of a modelled disk; NULL of another */
};

/* False: `read` is missing, or a series has another length than it. */
bool disk_reads_of(const struct run_bench *bench, int64_t point, struct disk_reads *reads);

/* The mean of n > 0 samples. */
double disk_mean(const int64_t *samples, size_t n);

/* "model, driver model (ssd2014), timer, every sector checked": which disk was read, and how. */
void disk_what(const struct run_bench *bench, char *text, size_t size);

/* Ticks as a duration, in virtual time where time is exact; ticks where their rate is unknown; NULL
 * of what is not finite. */
const char *disk_time(const struct view *view, double ticks, char text[AMOUNT_MAX]);
/* "virtual time", "time", "ticks": what disk_time() prints. */
const char *disk_time_note(const struct view *view);
/* A cell of a table for it. */
typedef void ticks_cell(struct table *table, const struct view *view, double ticks);
ticks_cell disk_cell;
/* Cells for the median, p99 where enough samples lie above it, and max. */
void statistics_cells(struct table *table, const struct view *view,
                      const struct statistics *statistics, ticks_cell *cell);
/* "4 MiB", and of what is no round number "4 MiB + 4 KiB" or "4 MiB - 4 KiB": sizes of files. */
const char *disk_size(int64_t bytes, char text[AMOUNT_MAX]);
