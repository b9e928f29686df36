/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoder of LZMA1 streams (Igor Pavlov, "LZMA specification", draft of 2015): raw, without the
 * header of a .lzma file, and ended by the end marker. Its parameters are fixed, at what makes the
 * image smallest.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LZMA_LITERAL_CONTEXT_BITS  3 /* lc */
#define LZMA_LITERAL_POSITION_BITS 0 /* lp */
#define LZMA_POSITION_BITS         0 /* pb */

/* Decodes all of `in` into all of `out`. False where the stream is damaged, which shows in it as a
 * rule but not for sure, where it ends early, or holds more or fewer than `out_size` bytes.
 * Whatever the input, it reads and writes nothing outside these two. Not to be called again while
 * it runs. */
bool lzma_unpack(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size);
