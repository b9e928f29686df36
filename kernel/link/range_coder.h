/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An adaptive binary range coder: the carry of G. N. N. Martin, "Range encoding" (1979), with one
 * probability for each context, as in LZMA. Integers only.
 *
 * One set of functions encodes and decodes: each takes the value, which a decoder ignores, and
 * returns it. So a model is written once, and its two directions cannot differ.
 *
 * Probabilities learn fast at first: the n-th bit of a context moves its probability by about
 * 1 / (n + 1.5), down to 1 / 32 at the least. In payloads of 1 KiB most contexts are seen seldom.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* That the next bit is 0: bits 4-15 in units of 1/4096; bits 0-3 count what it has learned. */
typedef uint16_t range_probability;

struct range_coder {
    uint8_t *out;      /* of an encoder; NULL: this decodes */
    const uint8_t *in; /* of a decoder */
    size_t at;         /* next byte */
    size_t end;        /* bytes there are */
    uint32_t low; /* encoder: the interval's lower end; decoder: distance of the code from it */
    uint32_t range;
    bool overflow; /* encoder: the bytes did not fit; what follows is lost */
};

/* Each probability becomes 1/2. */
void range_forget(range_probability *probabilities, size_t count);

void range_encode(struct range_coder *coder, uint8_t *out, size_t capacity);
/* Behind `length` bytes a decoder reads zeros: any bytes decode, to whatever values. */
void range_decode(struct range_coder *coder, const uint8_t *in, size_t length);

/* Ends the encoder's bytes, as few as decode to the same. Returns how many; overflow is set where
 * they do not fit. */
size_t range_finish(struct range_coder *coder);

/* Bytes that the encoder has taken so far, and those that its end takes at most. */
size_t range_bytes(const struct range_coder *coder);

unsigned range_bit(struct range_coder *coder, range_probability *probability, unsigned bit);
/* A bit that is 0 with a probability of `zero` / 65536, from 1 to 65535. */
unsigned range_given(struct range_coder *coder, uint32_t zero, unsigned bit);
/* What range_bit() lets the probability learn. */
void range_learn(range_probability *probability, unsigned bit);

/* In units of 1/4096: 1 to 4095. And has it learned anything yet? */
static inline unsigned range_of(const range_probability *probability)
{
    return *probability >> 4;
}

static inline bool range_is_known(const range_probability *probability)
{
    return (*probability & 15) != 0;
}
/* The lower `bits` (at most 8) of a value, the highest first; `tree` has 1 << bits probabilities.
 */
unsigned range_tree(struct range_coder *coder, range_probability *tree, unsigned bits,
                    unsigned value);
/* The lower `bits` (at most 64), each as likely 0 as 1. */
uint64_t range_even(struct range_coder *coder, unsigned bits, uint64_t value);

/* Any number: its length and second bit by a tree of RANGE_NUMBER_TREE, the bits below as even. */
#define RANGE_NUMBER_BITS 7
#define RANGE_NUMBER_TREE (1u << RANGE_NUMBER_BITS)
uint64_t range_number(struct range_coder *coder, range_probability *tree, uint64_t value);

/* A difference as a number that is small where the difference is near 0, and back. */
static inline uint64_t range_folded(uint64_t difference)
{
    return difference << 1 ^ (difference >> 63 != 0 ? UINT64_MAX : 0);
}

static inline uint64_t range_unfolded(uint64_t folded)
{
    return folded >> 1 ^ ((folded & 1) != 0 ? UINT64_MAX : 0);
}

/*
 * A bit by several adaptive probabilities at once: they are weighed in the domain ln(p / (1 - p)),
 * and the weights learn which of them to trust, as in M. Mahoney's PAQ. Integers only.
 *
 * Pure: compiled for the image and for the host.
 */

#define MIXER_INPUTS 3 /* at most */

struct mixer {
    int16_t stretched[4096]; /* ln(p / (1 - p)) in units of 1/256, of p in units of 1/4096 */
};

/* Weights in units of 1/65536. */
struct mixer_weights {
    int32_t of[MIXER_INPUTS];
};

void mixer_init(struct mixer *mixer);
void mixer_forget(struct mixer_weights *weights);

/* As range_bit(), by `count` inputs; all of them learn, and the weights. */
unsigned mixer_bit(const struct mixer *mixer, struct range_coder *coder,
                   range_probability *const *inputs, unsigned count, struct mixer_weights *weights,
                   unsigned bit);
