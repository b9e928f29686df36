/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fast path for most bytes of a log: a complete binary frame in contiguous memory. The result
 * equals that of frame_reader_push() (kernel/link/frame.h) for the same bytes, ten times faster.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/link/frame.h"

/* Takes an intact frame that begins at `bytes`, after its first 00h, and ends with a 00h within
 * `length`. Returns the bytes taken, including the last 00h. Returns 0 if no frame was taken; then
 * the bytes must go to frame_reader_push(). Reasons are: the reader already holds bytes, the frame
 * does not end here, it is damaged, or it may contain a frame in text format or text. */
size_t quick_frame(const struct frame_reader *reader, const uint8_t *bytes, size_t length,
                   struct frame *frame);
