/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A series of samples of a run: which samples arrived, and where they are stored. They are on the
 * heap or, if there are many, in a mapped temporary file without a name (spool.h).
 * run_series.samples points to them in either case; mapped samples cannot be written to.
 *
 * Pages of a mapped file count as memory of the program while they are present. A reader of many
 * samples therefore calls samples_forget() for those it has read. They stay in the file, and the
 * next access maps them again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool;

/* Samples [first, first + count) of a series. */
struct run_range {
    uint32_t first;
    uint32_t count;
};

/* Only samples that arrived are stored: sample ranges[r].first + i is samples[counts of ranges
 * before r, + i]. Ranges are in order, not empty, and neither overlap nor touch. A complete series
 * has the single range {0, n}, or no range if n is 0; then samples[0..n) is the whole series.
 *
 * A count series has `of` and `event`, any other series neither: its sample i is what the event
 * counted during sample i of the series `of` of the same bench and pass. */
struct run_series {
    uint16_t stream;
    const char *name;
    const char *unit;
    const char *of;
    const char *event;
    uint32_t n;
    int64_t nominal;
    uint32_t crc;     /* CRC-32C of all n samples as int64, little endian */
    int64_t *samples; /* the `received` samples that arrived */
    size_t mapped;    /* bytes of the samples in a mapped file (spool.h); 0: they are on the heap */
    size_t received;
    struct run_range *ranges;
    size_t range_count;
    uint32_t left_out; /* number of later samples that series_leave_out() removed */
};

/* Shortens the series to its first `n` samples, as if there had never been more. Does nothing if it
 * has fewer. */
void series_leave_out(struct run_series *series, uint32_t n);

/* Did every sample of the series arrive? */
bool run_series_whole(const struct run_series *series);
/* Returns the CRC-32C of the samples that arrived, as int64 little endian. */
uint32_t run_series_crc(const struct run_series *series);
/* Reads one sample by its index. Returns false if it is missing. */
bool run_series_sample(const struct run_series *series, uint32_t index, int64_t *value);

/* Reads many samples in ascending order, looking at each range once. Initialise as {.series = ...}.
 * No index may be below the previous one. */
struct run_walk {
    const struct run_series *series;
    size_t range;
    size_t before; /* samples of earlier ranges */
};
bool run_walk_to(struct run_walk *walk, uint32_t index, int64_t *value);

/* A series that is being written. */
struct samples_writer {
    int64_t *heap; /* samples on the heap; NULL if they are in the file */
    struct spool *spool;
    size_t count, capacity;
};

/* Begins writing. With `in_file` the samples go to a temporary file; if it cannot be created or
 * written, they go to the heap instead. */
void samples_open(struct samples_writer *writer, bool in_file);
/* Adds samples. Returns false if the file takes no more and its contents cannot be read back. */
bool samples_add(struct samples_writer *writer, const int64_t *samples, size_t count);
/* Moves the samples to the series and stores their number in `received`. On failure as above
 * returns false, and the series has no samples. */
bool samples_close(struct samples_writer *writer, struct run_series *series);

/* Tells that the samples [first, first + count) are not needed for now. */
void samples_forget(const struct run_series *series, size_t first, size_t count);
/* Frees the samples, after which the series has none. */
void samples_free(struct run_series *series);
