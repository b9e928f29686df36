/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An adaptive binary range coder with the carry of G. N. N. Martin, "Range encoding" (1979), and
 * one probability for each context, as in LZMA; and a mixer of several probabilities. Integers
 * only.
 *
 * The same functions encode and decode: each takes the value, which a decoder ignores, and returns
 * it. So a model is written only once, and its two directions cannot differ.
 *
 * Probabilities learn fast at first: the n-th bit of a context moves its probability by about 1 /
 * (n + 1.5), later by 1/17. This matters because in a payload of 1 KiB most contexts occur only a
 * few times.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The probability that the next bit is 0: bits 4-15, in units of 1/4096. Bits 0-3 count the bits it
 * has learned from, up to 15. */
typedef uint16_t range_probability;

struct range_coder {
    uint8_t *out;      /* output of an encoder; NULL: this is a decoder */
    const uint8_t *in; /* input of a decoder */
    size_t at;         /* index of the next byte */
    size_t end;        /* size of `out` or `in` */
    uint32_t low; /* encoder: the interval's lower end; decoder: distance of the code from it */
    uint32_t range;
    bool overflow; /* encoder: `out` was too small, and bytes are lost */
};

/* Resets each probability to 1/2. */
void range_forget(range_probability *probabilities, size_t count);

void range_encode(struct range_coder *coder, uint8_t *out, size_t capacity);
/* After `length` bytes a decoder reads zeros. It decodes any bytes, to some values. */
void range_decode(struct range_coder *coder, const uint8_t *in, size_t length);

/* Ends the encoder's output with as few bytes as possible. Returns the total number of bytes, and
 * sets `overflow` if they do not fit. */
size_t range_finish(struct range_coder *coder);

/* Returns the largest number of bytes that the output would have if it were finished now. */
size_t range_bytes(const struct range_coder *coder);

unsigned range_bit(struct range_coder *coder, range_probability *probability, unsigned bit);
/* Codes a bit that is 0 with a probability of `zero` / 65536, where `zero` is 1 to 65535. */
unsigned range_given(struct range_coder *coder, uint32_t zero, unsigned bit);
/* Adapts a probability to a bit, as range_bit() does after coding it. */
void range_learn(range_probability *probability, unsigned bit);

/* Returns the probability of 0 in units of 1/4096, 1 to 4095. */
static inline unsigned range_of(const range_probability *probability)
{
    return *probability >> 4;
}

static inline bool range_is_known(const range_probability *probability)
{
    return (*probability & 15) != 0;
}
/* Codes the lower `bits` (at most 8) of a value, the highest first, and returns them with a 1
 * above; `tree` has 1 << bits probabilities. */
unsigned range_tree(struct range_coder *coder, range_probability *tree, unsigned bits,
                    unsigned value);
/* Codes the lower `bits` (at most 64) of a value, each as likely 0 as 1. */
uint64_t range_even(struct range_coder *coder, unsigned bits, uint64_t value);

/* Codes any number: the position of its highest bit and the next bit by a tree of RANGE_NUMBER_TREE
 * probabilities, the bits below by range_even(). */
#define RANGE_NUMBER_BITS 7
#define RANGE_NUMBER_TREE (1u << RANGE_NUMBER_BITS)
uint64_t range_number(struct range_coder *coder, range_probability *tree, uint64_t value);

/* Maps a signed difference to a number, small if near 0; range_unfolded() maps it back. */
static inline uint64_t range_folded(uint64_t difference)
{
    return difference << 1 ^ (difference >> 63 != 0 ? UINT64_MAX : 0);
}

static inline uint64_t range_unfolded(uint64_t folded)
{
    return folded >> 1 ^ ((folded & 1) != 0 ? UINT64_MAX : 0);
}

/*
 * The mixer codes a bit by several adaptive probabilities at once. They are weighted in the domain
 * ln(p / (1 - p)), and the weights learn which of them to trust, as in M. Mahoney's PAQ.
 */

#define MIXER_INPUTS 3 /* largest number of probabilities for a bit */

struct mixer {
    /* ln(p / (1 - p)) in units of 1/256, indexed by p in units of 1/4096 */
    int16_t stretched[4096];
};

/* Weights of the inputs in units of 1/65536. */
struct mixer_weights {
    int32_t of[MIXER_INPUTS];
};

void mixer_init(struct mixer *mixer);
void mixer_forget(struct mixer_weights *weights);

/* Codes a bit as range_bit() does, by `count` inputs; these and the weights adapt to it. */
unsigned mixer_bit(const struct mixer *mixer, struct range_coder *coder,
                   range_probability *const *inputs, unsigned count, struct mixer_weights *weights,
                   unsigned bit);
