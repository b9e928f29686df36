/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/mixer.h"

#define STEP      128 /* of the table, in the units of `stretched` */
#define MOST      2047
#define ONE_BITS  16
#define LEAST     64 /* a probability, in units of 1/65536 */
#define WEIGHT    26000
#define RATE_BITS 15

/* 4096 / (1 + e^-x), for x from -8 to 8 by halves. */
static const int16_t logistic[] = {1,    2,    3,    6,    10,   16,   27,   45,   73,
                                   120,  194,  310,  488,  747,  1101, 1546, 2047, 2549,
                                   2994, 3348, 3607, 3785, 3901, 3975, 4022, 4050, 4068,
                                   4079, 4085, 4089, 4092, 4093, 4094};

/* A probability in units of 1/65536. */
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
