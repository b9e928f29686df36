/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the three codecs of the serial line share: format version, payload modes and the least
 * capacity (text_codec.h, series_codec.h, trace_codec.h).
 *
 *     payload   mode u8, rest
 *
 * Each payload can be decoded by itself, because all models start anew with each payload. A lost
 * frame therefore loses only its own content, and a frame that is sent again needs no other frame.
 * An encoder stores bytes unchanged (CODEC_STORED) if it cannot code them or if coding makes them
 * larger. All encoders and decoders use integers only.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdint.h>
#include <string.h>

/* This number identifies the formats, the models and the dictionary together. It is written to the
 * log and to each payload; a change of any of them needs a new number. */
#define CODEC_VERSION 1

enum codec_mode {
    CODEC_STORED = 0,            /* the bytes are stored unchanged */
    CODEC_CODED = CODEC_VERSION, /* the payload is coded by the range coder (range_coder.h) */
};

/* Smallest payload capacity, in bytes, that the encoders accept. */
#define CODEC_CAPACITY_MIN 128
