/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codec of SERIES frames: samples of all series of a bench, one behind the other.
 *
 *     payload   mode u8
 *               CODEC_STORED: parts: stream u16, first u32, count u16, samples i64
 *               CODEC_CODED:  parts u16, range coder
 *
 * A part is a run of samples of one series. A lost frame loses the samples of its parts alone.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/codec/codec.h"

#define SERIES_CODEC_SAMPLES_MAX 4096 /* of a payload, in all its parts */
#define SERIES_CODEC_PARTS_MAX   256  /* of a payload */

struct series_source {
    uint16_t stream;
    uint32_t count;
    const int64_t *samples;
};

/* The next sample to encode; {0, 0} before the first. */
struct series_place {
    size_t series; /* of the list */
    uint32_t sample;
};

struct series_part {
    uint16_t stream;
    uint32_t first; /* index of its first sample in the series */
    uint32_t count; /* at least 1; its samples follow those of the part before */
};

/* Scratch of encoder and decoder, zeroed before its first use. No call depends on one before. */
struct series_codec {
    uint8_t unused;
};

/* Encodes from *place on what fits `capacity` (at least CODEC_CAPACITY_MIN), and moves *place
 * behind it: place->series == count: nothing is left. Series of 0 samples take no part. A payload
 * has at least one sample. Returns its bytes, or 0 where nothing was left. */
size_t series_encode(struct series_codec *codec, const struct series_source *list, size_t count,
                     struct series_place *place, uint8_t *payload, size_t capacity);

/* Decodes a payload into `parts` (SERIES_CODEC_PARTS_MAX) and `samples` (SERIES_CODEC_SAMPLES_MAX).
 * Returns the number of parts, or -1 where the payload is malformed. `first` + `count` of a part is
 * at most UINT32_MAX. The same stream may come in several parts. */
ptrdiff_t series_decode(struct series_codec *codec, const uint8_t *payload, size_t length,
                        struct series_part *parts, int64_t *samples);
