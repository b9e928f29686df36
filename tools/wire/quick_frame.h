/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of most bytes of a log: a whole binary frame that lies in one piece of memory. The result
 * is that of frame_reader_push() (kernel/link/frame.h) for the same bytes, ten times faster.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/frame.h"

/* Takes an intact frame that begins at `bytes`, behind its first 00h, and ends with a 00h within
 * `length`. Returns the bytes taken, the last 00h included. 0: none was taken, and the bytes belong
 * to frame_reader_push(), for one of these reasons: the reader holds bytes already, the frame does
 * not end here, it is damaged, or it may hold a frame in text format or text. */
size_t quick_frame(const struct frame_reader *reader, const uint8_t *bytes, size_t length,
                   struct frame *frame);
