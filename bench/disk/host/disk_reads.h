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

#include "tools/present/view.h"
#include "tools/run/run.h"
#include "tools/stats/statistics.h"

#define DISK_POINTS_MAX 64
#define DISK_NAME_MAX   64

/* The numbers N of series "NAME.N", ascending: sizes in bytes, or numbers of threads. Those beyond
 * DISK_POINTS_MAX are left out. */
size_t disk_points(const struct run_bench *bench, const char *name,
                   int64_t points[DISK_POINTS_MAX]);
/* Series "NAME.N"; NULL: there is none, or not all of its samples arrived. */
const struct run_series *disk_series(const struct run_bench *bench, const char *name,
                                     int64_t point);
/* The only value of series "NAME.N"; false: it has none, or several. */
bool disk_value(const struct run_bench *bench, const char *name, int64_t point, int64_t *value);

/* Spans of a read, as they follow each other. */
enum disk_span {
    DISK_SUBMIT,
    DISK_DEVICE,
    DISK_INTERRUPT,
    DISK_WAKE,
    DISK_SPANS,
};
extern const char *const disk_spans[DISK_SPANS];

/* Reads of one size, or of one number of threads. Series are of the run: it must outlive them. */
struct disk_reads {
    int64_t point;
    size_t n;
    const int64_t *read;             /* of the whole read */
    const int64_t *span[DISK_SPANS]; /* NULL: the run lacks it */
    const int64_t *law;              /* the service of a modelled disk; NULL of another */
};

/* False: `read` is missing, or a series has another length than it. */
bool disk_reads_of(const struct run_bench *bench, int64_t point, struct disk_reads *reads);

/* How long read `i` waited for a server of the modelled disk; of another disk 0. */
int64_t disk_wait(const struct disk_reads *reads, size_t i);
/* Are there any? A program under Linux has none. */
bool disk_has_spans(const struct disk_reads *reads);
/* What is left of read `i` without its spans; as `device`, the law and the wait count. */
int64_t disk_residual(const struct disk_reads *reads, size_t i);
/* Either of all reads. */
void disk_derived(const struct disk_reads *reads,
                  int64_t (*of)(const struct disk_reads *reads, size_t i),
                  struct statistics *statistics);

/* The mean of n > 0 samples. */
double disk_mean(const int64_t *samples, size_t n);

/* A text that the bench found out (FOUND_DISK, ...); NULL: it found none. */
const char *disk_found(const struct run_bench *bench, const char *name);
/* "model, driver model (ssd2014), timer, every sector checked": which disk was read, and how. */
void disk_what(const struct run_bench *bench, char *text, size_t size);

/* Ticks as a duration, in virtual time where time is exact; ticks where their rate is unknown. */
const char *disk_time(const struct view *view, double ticks, char text[AMOUNT_MAX]);
/* "virtual time", "time", "ticks": what disk_time() prints. */
const char *disk_time_note(const struct view *view);
/* "4 MiB", and of what is no round number "4 MiB + 4 KiB" or "4 MiB - 4 KiB": sizes of files. */
const char *disk_size(int64_t bytes, char text[AMOUNT_MAX]);
