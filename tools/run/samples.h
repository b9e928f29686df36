/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of the samples of a series: on the heap or, if there are many, in a temporary file without
 * a name (spool.h), mapped read-only. run_series.samples points to them either way.
 *
 * Resident pages of a mapped file count as memory of the program. A reader of many samples calls
 * samples_forget() after using some: this drops their pages, and a later access reads them from the
 * file again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

struct spool;

/* A series that grows. */
struct samples_writer {
    int64_t *heap; /* NULL: they are in the file */
    struct spool *spool;
    size_t count, capacity;
};

/* With `in_file` samples go to a temporary file; if that cannot be created or written, to the heap.
 */
void samples_open(struct samples_writer *writer, bool in_file);
/* False: the file is full and its contents cannot be read back. */
bool samples_add(struct samples_writer *writer, const int64_t *samples, size_t count);
/* Gives the samples to the series, and counts them in `received`. False as above; the series has
 * none then. */
bool samples_close(struct samples_writer *writer, struct run_series *series);

/* Drops the pages of the samples [first, first + count) from memory. */
void samples_forget(const struct run_series *series, size_t first, size_t count);
/* Frees them; the series has none then. */
void samples_free(struct run_series *series);
