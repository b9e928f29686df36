/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random numbers: xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", ACM TOMS 47(4), 2021), a generator for each stream that a model has, so that a
 * change to one of its parts leaves the draws of the others as they were. Streams are seeded by
 * SplitMix64 from (seed, replication, stream): the same on every machine.
 */
#pragma once

#include <stdint.h>

struct sim_random {
    uint64_t state[4];
};

void sim_random_seed(struct sim_random *random, uint64_t seed, uint64_t replication,
                     uint64_t stream);

static inline uint64_t sim_random_next(struct sim_random *random)
{
    uint64_t *const s = random->state;
    const uint64_t sum = s[0] + s[3];
    const uint64_t result = (sum << 23 | sum >> 41) + s[0];
    const uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = s[3] << 45 | s[3] >> 19;
    return result;
}

/* Uniform in (0, 1]: 53 bits, never 0, so that its logarithm is finite. */
static inline double sim_random_uniform(struct sim_random *random)
{
    return (double)((sim_random_next(random) >> 11) + 1) * 0x1p-53;
}
