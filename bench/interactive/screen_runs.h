/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A screen as run lengths. The first two values are width and height. Then each pair of values is a
 * colour (0xRRGGBB) and the number of successive pixels of that colour; runs continue from one line
 * to the next. Pure: the image writes the values and the host reads them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/screen/surface.h"

/* Writes the run lengths of `surface` to `runs`, at most `capacity` values, or none if `runs` is
 * NULL. Returns the number of values that there are. */
size_t screen_runs_write(const struct surface *surface, int64_t *runs, size_t capacity);

/* Reads the size of the screen. Returns false if the values do not describe a screen (at most 16384
 * pixels a side). */
bool screen_runs_size(const int64_t *runs, size_t count, int32_t *width, int32_t *height);
/* Reads the runs into width * height pixels. Returns false unless the runs cover exactly that many.
 */
bool screen_runs_read(const int64_t *runs, size_t count, uint32_t *pixels);
