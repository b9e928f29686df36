/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the three codecs of the line share (text_codec.h, series_codec.h, trace_codec.h).
 *
 *     payload   mode u8, rest
 *
 * Each payload stands by itself: all models start anew, so that a lost frame loses nothing but what
 * it carried, and a frame that is sent again needs no other. The encoder takes CODEC_STORED where
 * that carries more. All encoders and decoders use integers only.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdint.h>
#include <string.h>

/* Formats, models and dictionary are frozen under this number, which a log names, and each payload:
 * a change of any of them is a new number. */
#define CODEC_VERSION 1

enum codec_mode {
    CODEC_STORED = 0,            /* bytes as they are */
    CODEC_CODED = CODEC_VERSION, /* by the range coder (range_coder.h) */
};

/* Least capacity of a payload that the encoders take. */
#define CODEC_CAPACITY_MIN 128
