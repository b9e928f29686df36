/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads what the disk benches report about reads (bench/disk/names.h): how long each took, and
 * which parts that time has. Benches of the network use the parts as well.
 *
 * All lengths are ticks of time, in exact time too: a thread that waits for a disk executes no
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

/* Adds the numbers N of series "NAME.N" (sizes in bytes or numbers of threads) to `points`, which
 * hold `count` numbers, ascending and each once. Returns the new number of points; those beyond
 * DISK_POINTS_MAX are left out. */
size_t disk_points(const struct run_bench *bench, const char *name, int64_t points[DISK_POINTS_MAX],
                   size_t count);
/* Reads a number without a sign from the start of a text and moves past it. Returns false if there
 * is none. */
bool read_number(const char **text, int64_t *value);
/* Returns true if `name` is one of `count` names, alone or followed by a point and more. */
bool is_named(const char *name, const char *const *names, size_t count);
/* Adds one such point. */
size_t disk_add_point(int64_t points[DISK_POINTS_MAX], size_t count, int64_t point);
/* Return series "NAME.OF" or "NAME.N", or NULL if there is none or not all of its samples arrived.
 */
const struct run_series *series_of(const struct run_bench *bench, const char *name, const char *of);
const struct run_series *disk_series(const struct run_bench *bench, const char *name,
                                     int64_t point);
/* Reads the only value of series "NAME.N". Returns false if it has none, or several. */
bool disk_value(const struct run_bench *bench, const char *name, int64_t point, int64_t *value);

/*
 * Lengths that benches of disks and of the network report as a whole and its parts: series
 * "WHOLE.OF", and "PART.OF" for each part. All are in ticks.
 */

#define SPLIT_PARTS_MAX 9

/* Points to series of the run, which must outlive it. */
struct split {
    size_t n;
    const int64_t *whole;
    size_t count;                         /* number of parts */
    const char *const *names;             /* printable names of the parts */
    const int64_t *part[SPLIT_PARTS_MAX]; /* NULL: the run lacks it */
};

/* Returns false if the whole is missing, or a part has another number of samples. */
bool split_of(const struct run_bench *bench, const char *whole, const char *const *names,
              size_t count, const char *of, struct split *split);
/* Returns true if there are parts; a program under Linux reports none. */
bool split_has_parts(const struct split *split);
/* Summarises what is left of each whole after subtracting the parts that exist. */
void split_residual(const struct split *split, struct statistics *statistics);
/* Summarises the differences of the samples, `from` minus `what`. */
void split_difference(const int64_t *from, const int64_t *what, size_t n,
                      struct statistics *statistics);
/* Adds a row to a timeline figure with the medians of the parts one after the other; if there are
 * no parts, the whole by its name. */
void split_add_lane(struct figure *figure, const char *name, const char *whole,
                    const struct split *split, const struct figure_scale *scale);

/* spans of a read, in the order in which they follow each other */
enum disk_span {
    DISK_SUBMIT,
    DISK_DEVICE,
    DISK_INTERRUPT,
    DISK_WAKE,
    DISK_SPANS,
};

/* reads of one size, or of one number of threads, by their spans */
struct disk_reads {
    struct split split;
    const int64_t *law; /* the service by the timing model of a modelled disk; NULL: another disk */
};

/* Returns false if `read` is missing, or a series has another number of samples. */
bool disk_reads_of(const struct run_bench *bench, int64_t point, struct disk_reads *reads);

/* Returns the mean of n > 0 samples. */
double disk_mean(const int64_t *samples, size_t n);

/* Describes which disk was read and how, as in "model, driver model (ssd2014), timer, every sector
 * checked". */
void disk_what(const struct run_bench *bench, char *text, size_t size);

/* Writes ticks as a duration (virtual time if time is exact), or as ticks if their rate is unknown.
 * Returns NULL if the value is not finite. */
const char *disk_time(const struct view *view, double ticks, char text[AMOUNT_MAX]);
/* Returns what disk_time() prints: "virtual time", "time", "ticks". */
const char *disk_time_note(const struct view *view);
/* adds a cell with a number of ticks to a table */
typedef void ticks_cell(struct table *table, const struct view *view, double ticks);
ticks_cell disk_cell;
/* Adds cells for the median, p99 if enough samples lie above it, and max. */
void statistics_cells(struct table *table, const struct view *view,
                      const struct statistics *statistics, ticks_cell *cell);
/* Writes the size of a file: "4 MiB", or if it is close to a round number "4 MiB + 4 KiB" or "4 MiB
 * - 4 KiB". */
const char *disk_size(int64_t bytes, char text[AMOUNT_MAX]);
