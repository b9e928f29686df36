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
    uint64_t next;     /* decoder: bytes that follow, the first in the highest bits */
    uint32_t ahead;    /* decoder: number of bits in `next`, 8 to 64 */
    uint32_t code;     /* decoder: distance of the code from the interval's lower end */
    uint32_t low;      /* encoder: the interval's lower end */
    bool overflow;     /* encoder: `out` was too small, and bytes are lost */
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

/* Returns a probability that has learned from a bit; `zero` is all ones if it is 0, otherwise 0. It
 * has no branches: bits are often random. */
RANGE_INLINE range_probability range_learned(uint32_t probability, uint32_t zero)
{
    const uint32_t count = probability & RANGE_COUNT_MASK;
    const int32_t way = (int32_t)(RANGE_ONE & zero) - (int32_t)(probability >> 4);
    const int32_t step = way * range_rates[count] + (int32_t)(UINT16_MAX & ~zero);

    return (range_probability)(probability + (uint32_t)(step >> 12 & ~(int32_t)RANGE_COUNT_MASK) +
                               (count < RANGE_COUNT_MASK));
}

/* Takes the next eight bytes of the input; after the input's end they are zeros. */
RANGE_INLINE void range_fetch(struct range_coder *coder)
{
    uint64_t bytes = 0;

    if (coder->end - coder->at >= sizeof(bytes)) {
        __builtin_memcpy(&bytes, coder->in + coder->at, sizeof(bytes));
        bytes = __builtin_bswap64(bytes);
        coder->at += sizeof(bytes);
    } else {
        for (unsigned i = 0; i < sizeof(bytes); i++) {
            bytes = bytes << 8 | (coder->at < coder->end ? coder->in[coder->at++] : 0);
        }
    }
    coder->next = bytes;
    coder->ahead = 64;
}

/* Decodes a bit whose interval is divided at `bound`. Returns all ones if it is 0, otherwise 0.
 * Sets *one, which is for a 1, to `other` if the bit is 0. As bits are often random, no branch asks
 * for them: GCC would make one of C. */
RANGE_INLINE uint32_t range_split(struct range_coder *coder, uint32_t bound, uint32_t other,
                                  uint32_t *one)
{
    uint32_t above = coder->range - bound;
    uint32_t rest = coder->code;
    uint32_t zero;

#if defined(__x86_64__)
    __asm__("sub %[bound], %[rest]\n\t"
            "cmovb %[code], %[rest]\n\t"
            "cmovb %[bound], %[above]\n\t"
            "cmovb %[other], %[one]\n\t"
            "sbb %[zero], %[zero]"
            : [rest] "+&r"(rest), [above] "+&r"(above), [one] "+&r"(*one), [zero] "=r"(zero)
            : [bound] "r"(bound), [code] "r"(coder->code), [other] "r"(other)
            : "cc");
#else
    zero = 0 - (uint32_t)(rest < bound);
    rest -= bound & ~zero;
    above ^= (above ^ bound) & zero;
    *one ^= (*one ^ other) & zero;
#endif
    coder->code = rest;
    coder->range = above;
    while (coder->range < RANGE_LEAST) {
        coder->range <<= 8;
        coder->code = coder->code << 8 | (uint32_t)(coder->next >> 56);
        coder->next <<= 8;
        coder->ahead -= 8;
        if (coder->ahead == 0) {
            range_fetch(coder);
        }
    }
    return zero;
}

/* Decodes a bit of a tree by `now`, the value of *node, which learns it. Sets *now to that of the
 * next node, which is `zero` or `one`. Returns what range_split() does. */
RANGE_INLINE uint32_t range_decode_node(struct range_coder *coder, range_probability *node,
                                        uint32_t *now, uint32_t zero, uint32_t one)
{
    const uint32_t bound = (coder->range >> 16) * (*now & ~RANGE_COUNT_MASK);
    const uint32_t mask = range_split(coder, bound, zero, &one);

    *node = range_learned(*now, mask);
    *now = one;
    return mask;
}

RANGE_INLINE unsigned range_decode_bit(struct range_coder *coder, range_probability *probability)
{
    uint32_t now = *probability;

    return 1 + range_decode_node(coder, probability, &now, 0, 0);
}

/* Decodes what range_tree() codes; *root is the tree's first probability. Reads both probabilities
 * that can be next before it is known which one is. Sets *root to the first one of the value's tree
 * in `trees`, which has one for each value; NULL: to 0. */
RANGE_INLINE unsigned range_decode_tree(struct range_coder *coder, range_probability *tree,
                                        unsigned bits, uint32_t *root,
                                        const range_probability *trees)
{
    const unsigned size = 1u << bits;
    unsigned node = 1;

#pragma GCC unroll 3
    for (; bits > 1; bits--) {
        node = 2 * node + 1 +
               range_decode_node(coder, &tree[node], root, tree[2 * node], tree[2 * node + 1]);
    }
    const uint32_t zero = trees == NULL ? 0 : trees[(2 * node - size) * size + 1];
    const uint32_t one = trees == NULL ? 0 : trees[(2 * node + 1 - size) * size + 1];

    return 2 * node + 1 + range_decode_node(coder, &tree[node], root, zero, one);
}

RANGE_INLINE uint64_t range_decode_even(struct range_coder *coder, unsigned bits)
{
    uint64_t result = 0;

    for (; bits > 0; bits--) {
        uint32_t bit = 1;

        range_split(coder, coder->range >> 1, 0, &bit);
        result = result << 1 | bit;
    }
    return result;
}

RANGE_INLINE uint64_t range_decode_number(struct range_coder *coder, range_probability *tree)
{
    uint32_t root = tree[1];
    const unsigned slot =
        range_decode_tree(coder, tree, RANGE_NUMBER_BITS, &root, NULL) - RANGE_NUMBER_TREE;

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
