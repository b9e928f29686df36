/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codec of META frames: text records, whole lines.
 *
 *     payload   mode u8
 *               CODEC_STORED: the text
 *               CODEC_CODED:  length of the text u16, range coder
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/codec/codec.h"

/* Text of a payload. */
#define TEXT_CODEC_RAW_MAX 4096

/* Scratch of encoder and decoder, zeroed before its first use. No call depends on one before. */
struct text_codec {
    bool unused;
};

/* Encodes as many whole lines of text[0..length) as fit `capacity` (at least CODEC_CAPACITY_MIN)
 * and TEXT_CODEC_RAW_MAX. A last line without LF counts as whole. *taken becomes their bytes, 0
 * where not even one line fits. Returns the bytes of the payload; 0 where *taken is 0. */
size_t text_encode(struct text_codec *codec, const char *text, size_t length, uint8_t *payload,
                   size_t capacity, size_t *taken);

/* Decodes a payload into `text`. Returns the bytes of text, or -1 where the payload is malformed or
 * more than `capacity` or TEXT_CODEC_RAW_MAX. Never writes beyond `capacity`. */
ptrdiff_t text_decode(struct text_codec *codec, const uint8_t *payload, size_t length, char *text,
                      size_t capacity);
