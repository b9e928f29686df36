/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codec of META frames: text records, whole lines.
 *
 *     payload   mode u8
 *               CODEC_STORED: the text
 *               CODEC_CODED:  length of the text u16, range coder
 *
 * The model is primed with example records (text_dictionary). It looks for earlier occurrences of
 * the last bytes, and guesses the byte that followed there. A second guess comes from a shorter
 * context. After a value, the model guesses the text that followed the last value with the same
 * text before it, whatever both values are. If numbers count up, such as stream numbers, it guesses
 * that they go on counting. A byte that neither guess gives is coded in the contexts of the one,
 * two and three bytes before it (range_coder.h).
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
 * Example records with which the model is primed: lines and parts of lines as the image writes
 * them, chosen so that whole runs become small. Frozen with CODEC_VERSION: a log can be decoded
 * only with the dictionary with which it was made.
 */
#define TEXT_DICTIONARY_BYTES 20480 /* size of text_dictionary without the NUL at its end */

extern const char text_dictionary[TEXT_DICTIONARY_BYTES + 1];

/* Largest number of bytes of text in a payload. */
#define TEXT_CODEC_RAW_MAX 16384

#define TEXT_CODEC_ORDERS     3
#define TEXT_CODEC_PLACE_BITS 11
#define TEXT_CODEC_VALUE_BITS 9
#define TEXT_CODEC_RUNS       16
#define TEXT_CODEC_SOURCES    (TEXT_CODEC_RUNS + 3) /* number of sources of guesses */
/* Number of contexts of a literal in addition to the class of the byte before. */
#define TEXT_CODEC_HASHED    2
#define TEXT_CODEC_BYTE_BITS 15

/* What the model has learned from the text so far. Positions are indices in text_codec.history. */
struct text_model {
    /* Indexed by the hash of a context: the position after the context's last occurrence; 0: none.
     */
    uint16_t places[TEXT_CODEC_ORDERS][1u << TEXT_CODEC_PLACE_BITS];
    /* Indexed by the hash of the text before a value: the position after the last value that had
     * this text before it; 0: none. */
    uint16_t values[1u << TEXT_CODEC_VALUE_BITS];
    /* indexed like `values`: 1 if the last such number was 1 more than the one before it */
    uint8_t counts[1u << TEXT_CODEC_VALUE_BITS];
    struct mixer_weights weights[TEXT_CODEC_HASHED + 1];
    range_probability high; /* probability of bit 7 */
    range_probability hit[TEXT_CODEC_SOURCES][9][4];
    range_probability literal[44][128];
    range_probability hashed[TEXT_CODEC_HASHED][1u << TEXT_CODEC_BYTE_BITS];
};

#define TEXT_CODEC_PROBABILITIES \
    ((sizeof(struct text_model) - offsetof(struct text_model, high)) / sizeof(range_probability))

/* Working memory of encoder and decoder; must be zeroed before its first use. It keeps the primed
 * model; nothing else is carried over from one call to the next. */
struct text_codec {
    struct range_coder coder;
    struct mixer mixer;
    struct text_model fresh; /* the model after learning the dictionary */
    struct text_model model;
    uint32_t at;      /* position of the next byte in history */
    uint32_t pointer; /* position after the last correct guess; 0: the last byte was not guessed */
    uint32_t run;     /* number of first guesses in a row that were correct */
    uint32_t words;   /* the last four bytes that are not digits */
    uint32_t digits;  /* number of digits since the last byte that is not a digit */
    /* the digits so far are those of 1 plus the last number with the same text before it */
    bool counted;
    uint32_t key; /* the last four non-digits before the last = or line feed */
    bool primed;
    uint8_t history[TEXT_DICTIONARY_BYTES + TEXT_CODEC_RAW_MAX];
};

/* Encodes as many whole lines of text[0..length) as fit `capacity` (at least CODEC_CAPACITY_MIN)
 * and TEXT_CODEC_RAW_MAX. A last line without LF counts as whole. Sets *taken to the number of
 * bytes encoded, 0 if not even one line fits. Returns the number of bytes of the payload, or 0 if
 * *taken is 0. */
size_t text_encode(struct text_codec *codec, const char *text, size_t length, uint8_t *payload,
                   size_t capacity, size_t *taken);

/* Decodes a payload into `text`. Returns the number of bytes of text, or -1 if the payload is
 * malformed or its text is longer than `capacity` or TEXT_CODEC_RAW_MAX. Never writes beyond
 * `capacity`. */
ptrdiff_t text_decode(struct text_codec *codec, const uint8_t *payload, size_t length, char *text,
                      size_t capacity);
