/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A screen as run lengths: values 2i and 2i + 1 are a colour (0xRRGGBB) and how many pixels in a
 * row have it, line behind line; the first two values are width and height. Pure: the image writes
 * them, the host reads them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/screen/surface.h"

/* How many values there are, at the most `capacity` of which are written to `runs`; NULL: none. */
size_t screen_runs_write(const struct surface *surface, int64_t *runs, size_t capacity);

/* Size of the screen; false where the values describe none (16384 pixels a side at the most). */
bool screen_runs_size(const int64_t *runs, size_t count, int32_t *width, int32_t *height);
/* Into width * height pixels; false where the runs are not just that many. */
bool screen_runs_read(const int64_t *runs, size_t count, uint32_t *pixels);
