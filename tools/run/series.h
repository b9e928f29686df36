/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A series of a run: which of its samples arrived, and where they lie. They lie on the heap, or,
 * where there are many, in a temporary file without a name (spool.h) that is mapped.
 * run_series.samples points at them either way; what is mapped cannot be written to.
 *
 * Pages of a mapped file count as memory of the program while it has them. A reader of many samples
 * calls samples_forget() for those that it has read: they stay in the file, and the next access
 * maps them again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool;

/* Samples [first, first + count). */
struct run_range {
    uint32_t first;
    uint32_t count;
};

/* Only what arrived is held: sample ranges[r].first + i is samples[counts of ranges before r, + i].
 * Ranges are in order, not empty, not overlapping and not touching. A whole series has the one
 * range {0, n}, or none where n is 0, and then samples[0..n) are all of it.
 *
 * A count series has `of` and `event`, any other neither: sample i is what the event counted during
 * sample i of the series `of` of the same bench and pass. */
struct run_series {
    uint16_t stream;
    const char *name;
    const char *unit;
    const char *of;
    const char *event;
    uint32_t n;
    int64_t nominal;
    uint32_t crc;     /* CRC-32C of all n samples as int64, little endian */
    int64_t *samples; /* `received` of them */
    size_t mapped;    /* their bytes in a file that is mapped (spool.h); 0: on the heap */
    size_t received;
    struct run_range *ranges;
    size_t range_count;
    uint32_t left_out; /* samples behind those, which series_leave_out() took away */
};

/* From now on the series has its first `n` samples alone, as if there had never been more. Nothing
 * where it has fewer. */
void series_leave_out(struct run_series *series, uint32_t n);

/* Is every sample of the series there? */
bool run_series_whole(const struct run_series *series);
/* CRC-32C of the samples that are there, as int64 little endian. */
uint32_t run_series_crc(const struct run_series *series);
/* One sample by its index; false where it is missing. */
bool run_series_sample(const struct run_series *series, uint32_t index, int64_t *value);

/* The same for many samples in turn, at one look at each range. Begins as {.series = ...}; no index
 * may be below the one before it. */
struct run_walk {
    const struct run_series *series;
    size_t range;
    size_t before; /* samples of earlier ranges */
};
bool run_walk_to(struct run_walk *walk, uint32_t index, int64_t *value);

/* A series that grows. */
struct samples_writer {
    int64_t *heap; /* NULL where they are in the file */
    struct spool *spool;
    size_t count, capacity;
};

/* With `in_file` they go to a temporary file; where that cannot be made or written they are on the
 * heap all the same. */
void samples_open(struct samples_writer *writer, bool in_file);
/* False where what is in the file cannot be read back, when the file takes no more. */
bool samples_add(struct samples_writer *writer, const int64_t *samples, size_t count);
/* Gives the samples to the series, and counts them in `received`. False as above; the series has
 * none then. */
bool samples_close(struct samples_writer *writer, struct run_series *series);

/* The samples [first, first + count) have been read for now. */
void samples_forget(const struct run_series *series, size_t first, size_t count);
/* Frees them; the series has none then. */
void samples_free(struct run_series *series);
