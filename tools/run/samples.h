/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the samples of a series lie: on the heap, or, where there are many, in a temporary file
 * without a name (spool.h) that is mapped. run_series.samples points at them either way; what is
 * mapped cannot be written to.
 *
 * Pages of a mapped file count as memory of the program while it has them. Who reads many samples
 * of a run that may be large says with samples_forget() that it is done with some: they stay, and
 * are taken from the file again when somebody looks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

struct spool;

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
