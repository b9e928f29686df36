/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codec of SERIES frames: samples of all series of a bench, one series after the other.
 *
 *     payload   mode u8
 *               CODEC_CODED: samples u16, range coder. It is the only mode: samples that do not
 *               compress take little more than 8 bytes each.
 *
 * A part is a run of consecutive samples of one series. A lost frame loses only the samples of its
 * parts.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/codec.h"
#include "kernel/link/range_coder.h"

#define SERIES_CODEC_SAMPLES_MAX 8192 /* largest number of samples in a payload */
#define SERIES_CODEC_PARTS_MAX   256  /* largest number of parts in a payload */

struct series_source {
    uint16_t stream;
    uint32_t count;
    const int64_t *samples;
};

/* The next sample to encode; {0, 0} before the first. */
struct series_place {
    size_t series; /* index of the series in the list of sources */
    uint32_t sample;
};

struct series_part {
    uint16_t stream;
    uint32_t first; /* index of the part's first sample in the series */
    /* number of samples, at least 1; in `samples`, they follow those of the part before */
    uint32_t count;
};

#define SERIES_CODEC_BASES        5
#define SERIES_CODEC_FORMS        32
#define SERIES_CODEC_RECENT       7
#define SERIES_CODEC_NOMINALS     6
#define SERIES_CODEC_ORDERS       2
#define SERIES_CODEC_CONTEXT_BITS 9
#define SERIES_CODEC_OUTCOMES     16

/* State that changes with each sample. A decoder keeps it in registers. */
struct series_state {
    struct range_coder coder;
    uint64_t last; /* value of the previous sample */
    /* Differences between the previous samples, the latest first. */
    uint64_t steps[2];
    unsigned place;    /* index in `recent` of the last residual */
    uint32_t root;     /* decoder: the first probability of its tree in `places` */
    unsigned outcomes; /* results of the last four guesses, one bit each; 1: wrong */
};

/* Working memory of encoder and decoder; must be zeroed before its first use. Nothing is carried
 * over from one call to the next. */
struct series_codec {
    struct series_state state;
    /* the current part: */
    unsigned form;
    unsigned shift;
    unsigned width; /* for BASE_EVEN: bits of a sample minus the nominal value */
    uint64_t nominal;
    uint64_t recent[SERIES_CODEC_RECENT]; /* recent residuals, the most frequent first */
    /* counts[1 + i]: how often recent[i] occurred; counts[0] is larger than all of them */
    uint32_t counts[1 + SERIES_CODEC_RECENT];
    /* Of the payload. */
    const int64_t *beside; /* samples of the part before */
    uint32_t beside_count;
    /* Nominal values of the last parts that differ, without their zero low bits. */
    uint64_t nominals[SERIES_CODEC_NOMINALS];
    /* The step that followed each context, indexed by the context's hash. */
    uint64_t guesses[SERIES_CODEC_ORDERS][1u << SERIES_CODEC_CONTEXT_BITS];
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

/* Encodes as many samples from *place on as fit `capacity` (at least CODEC_CAPACITY_MIN), and moves
 * *place past them; if place->series is then `count`, nothing is left. Series without samples are
 * skipped. A payload has at least one sample. Returns the bytes of the payload, or 0 if nothing was
 * left to encode. */
size_t series_encode(struct series_codec *codec, const struct series_source *list, size_t count,
                     struct series_place *place, uint8_t *payload, size_t capacity);

/* Decodes a payload into `parts` (SERIES_CODEC_PARTS_MAX) and `samples` (SERIES_CODEC_SAMPLES_MAX).
 * Returns the number of parts, or -1 if the payload is malformed. `first` + `count` of a part is at
 * most UINT32_MAX. Several parts may be of the same stream. */
ptrdiff_t series_decode(struct series_codec *codec, const uint8_t *payload, size_t length,
                        struct series_part *parts, int64_t *samples);
