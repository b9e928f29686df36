/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codec of SERIES frames: samples of all series of a bench, one behind the other.
 *
 *     payload   mode u8
 *               CODEC_CODED: samples u16, range coder. It is the only mode: what does not
 *               compress takes little more than 8 bytes a sample.
 *
 * A part is a run of samples of one series. A lost frame loses the samples of its parts alone.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/codec.h"
#include "kernel/link/range_coder.h"

#define SERIES_CODEC_SAMPLES_MAX 8192 /* of a payload, in all its parts */
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

#define SERIES_CODEC_BASES        5
#define SERIES_CODEC_FORMS        32
#define SERIES_CODEC_RECENT       7
#define SERIES_CODEC_NOMINALS     6
#define SERIES_CODEC_ORDERS       2
#define SERIES_CODEC_CONTEXT_BITS 9
#define SERIES_CODEC_OUTCOMES     16

/* Scratch of encoder and decoder, zeroed before its first use; nothing of a call is left for the
 * next. */
struct series_codec {
    struct range_coder coder;
    /* Of the part. */
    unsigned form;
    unsigned shift;
    unsigned width; /* of even samples, in bits */
    uint64_t nominal;
    uint64_t last;                        /* sample */
    uint64_t steps[2];                    /* between the last samples, the latest first */
    unsigned place;                       /* of the last residual among the recent ones */
    uint64_t recent[SERIES_CODEC_RECENT]; /* residuals, the most frequent first */
    uint32_t counts[SERIES_CODEC_RECENT]; /* how often each came */
    /* Of the payload. */
    const int64_t *beside; /* samples of the part before */
    uint32_t beside_count;
    uint64_t nominals[SERIES_CODEC_NOMINALS]; /* of the last parts that differ, unshifted */
    unsigned outcomes;                        /* of the last four guesses */
    uint64_t guesses[SERIES_CODEC_ORDERS][1u << SERIES_CODEC_CONTEXT_BITS]; /* steps */
    uint8_t known[SERIES_CODEC_ORDERS][1u << SERIES_CODEC_CONTEXT_BITS];
    range_probability usual[4];
    range_probability head[4][RANGE_NUMBER_TREE];
    range_probability widths[RANGE_NUMBER_TREE];
    range_probability same_nominal[8];
    range_probability nominal_number[RANGE_NUMBER_TREE];
    range_probability forms[SERIES_CODEC_FORMS];
    range_probability guess[SERIES_CODEC_ORDERS][SERIES_CODEC_FORMS][SERIES_CODEC_OUTCOMES];
    range_probability places[SERIES_CODEC_RECENT + 1][8];
    range_probability number[SERIES_CODEC_BASES][RANGE_NUMBER_TREE];
};

#define SERIES_CODEC_PROBABILITIES                                          \
    ((sizeof(struct series_codec) - offsetof(struct series_codec, usual)) / \
     sizeof(range_probability))

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
