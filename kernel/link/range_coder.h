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

/* Makes a function part of the decoder's loops, so that the coder stays in registers. The image
 * only encodes and is built for size, so the compiler decides there. */
#if __STDC_HOSTED__
#define RANGE_INLINE static inline __attribute__((always_inline))
#else
#define RANGE_INLINE static inline
#endif

#define RANGE_ONE        4096u /* a probability of 1 */
#define RANGE_COUNT_MASK 15u   /* bits of a probability that count */
#define RANGE_LEAST      (UINT32_C(1) << 24)

struct range_coder {
    uint8_t *out;      /* output of an encoder; NULL: this is a decoder */
    const uint8_t *in; /* input of a decoder */
    size_t at;         /* index of the next byte */
    size_t end;        /* size of `out` or `in` */
    /* decoder: the upper 32 bits are the distance of the code from the interval's lower end; the
     * input's next bytes follow below */
    uint64_t code;
    uint32_t ahead; /* decoder: number of bits of these next bytes that are left, 8 to 32 */
    uint32_t low;   /* encoder: the interval's lower end */
    bool overflow;  /* encoder: `out` was too small, and bytes are lost */
    uint32_t range;
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

/* ---- faster versions of these functions, for decoders only ---- */

/* Step by which the n-th bit of a context moves its probability, in 1/65536 of the way. */
extern const uint16_t range_rates[RANGE_COUNT_MASK + 1];

/* Returns whether this is a decoder. In the image none is, so the compiler omits all decoding. */
static inline bool range_decodes(const struct range_coder *coder)
{
    return __STDC_HOSTED__ && coder->out == NULL;
}

/* Returns a probability that has learned from a bit. It has no branches: bits are often random. */
RANGE_INLINE range_probability range_learned(range_probability probability, unsigned bit)
{
    const uint32_t count = probability & RANGE_COUNT_MASK;
    const uint32_t zero = bit - 1; /* all ones if the bit is 0 */
    const int32_t way = (int32_t)(RANGE_ONE & zero) - (probability >> 4);
    const int32_t step = way * range_rates[count] + (int32_t)(UINT16_MAX & ~zero);

    return (range_probability)(probability + (step >> 12 & ~(int32_t)RANGE_COUNT_MASK) +
                               (count < RANGE_COUNT_MASK));
}

/* Appends the next four bytes of the input to the code; after the input's end they are zeros. */
RANGE_INLINE void range_fetch(struct range_coder *coder)
{
    uint32_t bytes = 0;

    if (coder->end - coder->at >= sizeof(bytes)) {
        __builtin_memcpy(&bytes, coder->in + coder->at, sizeof(bytes));
        bytes = __builtin_bswap32(bytes);
        coder->at += sizeof(bytes);
    } else {
        for (unsigned i = 0; i < sizeof(bytes); i++) {
            bytes = bytes << 8 | (coder->at < coder->end ? coder->in[coder->at++] : 0);
        }
    }
    coder->code |= bytes;
    coder->ahead = 32;
}

/* Decodes a bit whose interval is divided at `bound`. */
RANGE_INLINE unsigned range_split(struct range_coder *coder, uint32_t bound)
{
    const uint64_t from = (uint64_t)bound << 32;
    const uint64_t zero = 0 - (uint64_t)(coder->code < from); /* a mask, not a branch */

    coder->code = coder->code - from + (from & zero);
    coder->range = coder->range - bound + ((2 * bound - coder->range) & (uint32_t)zero);
    while (coder->range < RANGE_LEAST) {
        coder->range <<= 8;
        coder->code <<= 8;
        coder->ahead -= 8;
        if (coder->ahead == 0) {
            range_fetch(coder);
        }
    }
    return (unsigned)zero + 1;
}

RANGE_INLINE unsigned range_decode_bit(struct range_coder *coder, range_probability *probability)
{
    const range_probability now = *probability;
    const unsigned bit = range_split(coder, (coder->range >> 16) * (now & ~RANGE_COUNT_MASK));

    *probability = range_learned(now, bit);
    return bit;
}

/* Reads both probabilities that can be next before it is known which one is. */
RANGE_INLINE unsigned range_decode_tree(struct range_coder *coder, range_probability *tree,
                                        unsigned bits)
{
    const unsigned last = (1u << bits) - 1;
    range_probability now = tree[1];
    unsigned node = 1;

#pragma GCC unroll 3
    for (; bits > 0; bits--) {
        const unsigned left = tree[2 * node & last]; /* after the last bit, both are unused */
        const unsigned right = tree[(2 * node + 1) & last];
        const unsigned bit = range_split(coder, (coder->range >> 16) * (now & ~RANGE_COUNT_MASK));

        tree[node] = range_learned(now, bit);
        node = 2 * node | bit;
        now = (range_probability)(right ^ ((left ^ right) & (bit - 1)));
    }
    return node;
}

RANGE_INLINE uint64_t range_decode_even(struct range_coder *coder, unsigned bits)
{
    uint64_t result = 0;

    for (; bits > 0; bits--) {
        result = result << 1 | range_split(coder, coder->range >> 1);
    }
    return result;
}

RANGE_INLINE uint64_t range_decode_number(struct range_coder *coder, range_probability *tree)
{
    const unsigned slot = range_decode_tree(coder, tree, RANGE_NUMBER_BITS) - RANGE_NUMBER_TREE;

    if (slot < 2) {
        return slot;
    }
    const unsigned below = slot / 2 - 1;

    return (uint64_t)(2 | (slot & 1)) << below | range_decode_even(coder, below);
}

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
