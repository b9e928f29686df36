/* SPDX-License-Identifier: BSD-2-Clause */
/* A carry propagates backwards through the bytes that are already in the payload. It always ends in
 * one of them, because the coded number is below 1. */
#include "kernel/link/range_coder.h"

#define HALF         ((RANGE_ONE / 2) << 4)
#define FINISH_BYTES 4

const uint16_t range_rates[RANGE_COUNT_MASK + 1] = {32768, 21845, 16384, 13107, 10922, 9362,
                                                    8192,  7281,  6553,  5957,  5461,  5041,
                                                    4681,  4369,  4096,  3855};

/* Resets four at a time, because a trace's payload begins with about 23,000 resets. */
void range_forget(range_probability *probabilities, size_t count)
{
    static const uint64_t four = HALF * UINT64_C(0x0001000100010001);
    size_t i = 0;

    for (; i + 4 <= count; i += 4) {
        __builtin_memcpy(&probabilities[i], &four, sizeof(four));
    }
    for (; i < count; i++) {
        probabilities[i] = HALF;
    }
}

void range_encode(struct range_coder *coder, uint8_t *out, size_t capacity)
{
    *coder = (struct range_coder){.out = out, .end = capacity, .range = UINT32_MAX};
}

void range_decode(struct range_coder *coder, const uint8_t *in, size_t length)
{
    *coder = (struct range_coder){.in = in, .end = length, .range = UINT32_MAX};
    range_fetch(coder);
    coder->code = (uint32_t)(coder->next >> 32);
    coder->next <<= 32;
    coder->ahead = 32;
}

static void carry(struct range_coder *coder)
{
    size_t at = coder->at;

    while (at > 0 && ++coder->out[--at] == 0) {
    }
}

static void add(struct range_coder *coder, uint32_t amount)
{
    coder->low += amount;
    if (coder->low < amount) {
        carry(coder);
    }
}

static void shift(struct range_coder *coder)
{
    if (coder->at < coder->end) {
        coder->out[coder->at++] = (uint8_t)(coder->low >> 24);
    } else {
        coder->overflow = true;
    }
    coder->low <<= 8;
}

size_t range_finish(struct range_coder *coder)
{
    /* Choose the number in the interval that ends in the most zero bits. */
    uint32_t mask = UINT32_MAX >> 1;
    uint32_t amount = (0 - coder->low) & mask;

    while (amount >= coder->range) {
        mask >>= 1;
        amount = (0 - coder->low) & mask;
    }
    add(coder, amount);
    while (coder->low != 0) {
        shift(coder);
    }
    while (coder->at > 0 && coder->out[coder->at - 1] == 0) {
        coder->at--;
    }
    return coder->at;
}

size_t range_bytes(const struct range_coder *coder)
{
    return coder->at + FINISH_BYTES;
}

/* Divides the interval at `bound`: the lower part is for a 0, the upper part for a 1. */
static unsigned split(struct range_coder *coder, uint32_t bound, unsigned bit)
{
    if (range_decodes(coder)) {
        bit = 1;
        range_split(coder, bound, 0, &bit);
        return bit;
    }
    if (bit == 0) {
        coder->range = bound;
    } else {
        coder->range -= bound;
        add(coder, bound);
    }
    while (coder->range < RANGE_LEAST) {
        coder->range <<= 8;
        shift(coder);
    }
    return bit;
}

unsigned range_given(struct range_coder *coder, uint32_t zero, unsigned bit)
{
    return split(coder, (coder->range >> 16) * zero, bit);
}

void range_learn(range_probability *probability, unsigned bit)
{
    *probability = range_learned(*probability, bit - 1);
}

unsigned range_bit(struct range_coder *coder, range_probability *probability, unsigned bit)
{
    bit = range_given(coder, *probability & ~RANGE_COUNT_MASK, bit);
    range_learn(probability, bit);
    return bit;
}

unsigned range_tree(struct range_coder *coder, range_probability *tree, unsigned bits,
                    unsigned value)
{
    unsigned node = 1;

    if (range_decodes(coder)) {
        uint32_t root = tree[1];

        return range_decode_tree(coder, tree, bits, &root, NULL);
    }
    while (bits > 0) {
        bits--;
        node = node << 1 | range_bit(coder, &tree[node], value >> bits & 1);
    }
    return node;
}

uint64_t range_even(struct range_coder *coder, unsigned bits, uint64_t value)
{
    uint64_t result = 0;

    while (bits > 0) {
        bits--;
        result = result << 1 | split(coder, coder->range >> 1, value >> bits & 1);
    }
    return result;
}

uint64_t range_number(struct range_coder *coder, range_probability *tree, uint64_t value)
{
    unsigned slot = (unsigned)value;

    if (range_decodes(coder)) {
        return range_decode_number(coder, tree);
    }
    if (value > 1) {
        const unsigned top = 63 - (unsigned)__builtin_clzll(value);

        slot = 2 * top + (value >> (top - 1) & 1);
    }
    range_tree(coder, tree, RANGE_NUMBER_BITS, slot);
    if (slot > 1) {
        range_even(coder, slot / 2 - 1, value);
    }
    return value;
}

#define STEP      128 /* distance of two entries of `logistic`, in the units of `stretched` */
#define MOST      2047
#define ONE_BITS  16
#define LEAST     64 /* smallest probability that is used, in units of 1/65536 */
#define WEIGHT    26000
#define RATE_BITS 15

/* Table of 4096 / (1 + e^-x), for x from -8 to 8 in steps of 0.5. */
static const int16_t logistic[] = {1,    2,    3,    6,    10,   16,   27,   45,   73,
                                   120,  194,  310,  488,  747,  1101, 1546, 2047, 2549,
                                   2994, 3348, 3607, 3785, 3901, 3975, 4022, 4050, 4068,
                                   4079, 4085, 4089, 4092, 4093, 4094};

/* Returns 1 / (1 + e^-x), interpolated in the table, in units of 1/65536. */
static int32_t squash(int64_t stretched)
{
    const int32_t x = (int32_t)(stretched > MOST ? MOST : stretched < -MOST ? -MOST : stretched);
    const unsigned at = (unsigned)(x + 16 * STEP) / STEP;
    const int32_t above = (x + 16 * STEP) % STEP;

    return (logistic[at] * (STEP - above) + logistic[at + 1] * above) * (16 / 8) / (STEP / 8);
}

void mixer_init(struct mixer *mixer)
{
    unsigned at = 0;

    for (int16_t x = -MOST; x < MOST; x++) {
        const unsigned below = (unsigned)squash(x) / 16;

        while (at <= below) {
            mixer->stretched[at++] = x;
        }
    }
    while (at < sizeof(mixer->stretched) / sizeof(mixer->stretched[0])) {
        mixer->stretched[at++] = MOST;
    }
}

void mixer_forget(struct mixer_weights *weights)
{
    for (unsigned i = 0; i < MIXER_INPUTS; i++) {
        weights->of[i] = WEIGHT;
    }
}

unsigned mixer_bit(const struct mixer *mixer, struct range_coder *coder,
                   range_probability *const *inputs, unsigned count, struct mixer_weights *weights,
                   unsigned bit)
{
    int32_t stretched[MIXER_INPUTS];
    int64_t sum = 0;

    for (unsigned i = 0; i < count; i++) {
        stretched[i] = mixer->stretched[range_of(inputs[i])];
        sum += (int64_t)stretched[i] * weights->of[i];
    }
    int32_t zero = squash(sum / (1 << ONE_BITS));

    zero = zero < LEAST ? LEAST : zero;
    bit = range_given(coder, (uint32_t)zero, bit);
    const int32_t error = (bit == 0 ? (1 << ONE_BITS) : 0) - zero;

    for (unsigned i = 0; i < count; i++) {
        weights->of[i] += stretched[i] * error / (1 << RATE_BITS);
        range_learn(inputs[i], bit);
    }
    return bit;
}
