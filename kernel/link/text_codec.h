/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codec of META frames: text records, whole lines.
 *
 *     payload   mode u8
 *               CODEC_STORED: the text
 *               CODEC_CODED:  length of the text u16, range coder
 *
 * The model is primed with example records (text_dictionary). For each byte it guesses what
 * followed where the last bytes stood before; a second guess is that of a shorter context. What
 * follows a value is guessed from what preceded it, whatever the value; numbers that count, as
 * streams do, go on counting. A byte that neither guesses is coded by the three before
 * (range_coder.h).
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/codec.h"
#include "kernel/link/range_coder.h"

/*
 * Example records, with which the model is primed: lines and pieces of lines as the
 * image writes them, chosen so that whole runs of it become small. Frozen with CODEC_VERSION: a log
 * decodes only with the dictionary that it was made with.
 */
#define TEXT_DICTIONARY_BYTES 20480 /* without the NUL behind */

extern const char text_dictionary[TEXT_DICTIONARY_BYTES + 1];

/* Text of a payload. */
#define TEXT_CODEC_RAW_MAX 16384

#define TEXT_CODEC_ORDERS     3
#define TEXT_CODEC_PLACE_BITS 11
#define TEXT_CODEC_VALUE_BITS 9
#define TEXT_CODEC_RUNS       16
#define TEXT_CODEC_SOURCES    (TEXT_CODEC_RUNS + 3) /* of guesses */
#define TEXT_CODEC_HASHED     2                     /* contexts of a literal beside its class */
#define TEXT_CODEC_BYTE_BITS  15

/* What was learned from the text so far. */
struct text_model {
    /* By the hash of a context: where it was last, behind it; 0: nowhere. */
    uint16_t places[TEXT_CODEC_ORDERS][1u << TEXT_CODEC_PLACE_BITS];
    /* By the hash of what a value follows: behind the last one. */
    uint16_t values[1u << TEXT_CODEC_VALUE_BITS];
    uint8_t counts[1u << TEXT_CODEC_VALUE_BITS]; /* the last one was 1 more than the one before */
    struct mixer_weights weights[TEXT_CODEC_HASHED + 1];
    range_probability high; /* bit 7 */
    range_probability hit[TEXT_CODEC_SOURCES][9][4];
    range_probability literal[44][128];
    range_probability hashed[TEXT_CODEC_HASHED][1u << TEXT_CODEC_BYTE_BITS];
};

#define TEXT_CODEC_PROBABILITIES \
    ((sizeof(struct text_model) - offsetof(struct text_model, high)) / sizeof(range_probability))

/* Scratch of encoder and decoder, zeroed before its first use. It keeps the primed model; nothing
 * else of a call is left for the next. */
struct text_codec {
    struct range_coder coder;
    struct mixer mixer;
    struct text_model fresh; /* behind the dictionary */
    struct text_model model;
    uint32_t at;      /* next byte of history */
    uint32_t pointer; /* behind the last guess that came true; 0: the last byte was none */
    uint32_t run;     /* first guesses in a row that came true */
    uint32_t words;   /* the last four bytes that are no digits */
    uint32_t digits;  /* behind them */
    bool counted;     /* they are as those of the next number */
    uint32_t key;     /* the four bytes before the last = or line feed */
    bool primed;
    uint8_t history[TEXT_DICTIONARY_BYTES + TEXT_CODEC_RAW_MAX];
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
