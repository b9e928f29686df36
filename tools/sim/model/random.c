/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/model/random.h"

/* SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
 * 2014). */
static uint64_t next_seed(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);

    uint64_t mixed = *state;

    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

void sim_random_seed(struct sim_random *random, uint64_t seed, uint64_t replication,
                     uint64_t stream)
{
    const uint64_t parts[] = {seed, replication, stream};
    uint64_t state = 0;

    /* Each part is mixed before the next comes: neighbours in one do not meet those in another. */
    for (int i = 0; i < 3; i++) {
        state ^= parts[i];
        state = next_seed(&state);
    }
    /* Four numbers in turn are never all 0, which xoshiro could not leave. */
    for (int i = 0; i < 4; i++) {
        random->state[i] = next_seed(&state);
    }
}
