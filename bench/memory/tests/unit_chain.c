/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the places of a chain are, bench/memory/chain.h: all sets of a cache get as many of them,
 * whatever the number of pages that have one each. */
#include "bench/memory/chain.h"
#include "tools/tests/support/unit.h"

#define PAGES_MAX 8192
#define SETS_MAX  8192

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* How many of the first `count` places the fullest set holds, of a cache of so many. */
static uint64_t fullest_set(const struct chain *chain, uint64_t count, uint64_t sets)
{
    static uint64_t held[SETS_MAX];
    uint64_t most = 0;

    memset(held, 0, sizeof(held));
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t set = chain_offset(chain, i) / LINE_BYTES % sets;

        most = larger(most, ++held[set]);
    }
    return most;
}

/* L1 has 64 sets, L2 from 512 (256 KiB) to 2048 (2 MiB), a slice of L3 a few thousand. */
static void test_sets(void)
{
    for (uint64_t step = 4096; step <= 1u << 30; step <<= 9) {
        const struct chain chain = {NULL, step, CHAIN_SLIP};

        for (uint64_t sets = 64; sets <= 4096; sets *= 2) {
            for (uint64_t count = 64; count <= PAGES_MAX; count *= 2) {
                CHECK_EQUAL(fullest_set(&chain, count, sets), larger(count / sets, 1));
            }
        }
    }
}

static void test_steps(void)
{
    for (uint64_t step = LINE_BYTES; step <= 1u << 30; step *= 2) {
        const struct chain slipping = {NULL, step, CHAIN_SLIP};
        const struct chain straight = {NULL, step, 0};

        for (uint64_t i = 0; i < PAGES_MAX; i++) {
            const uint64_t offset = chain_offset(&slipping, i);

            CHECK_EQUAL(offset / step, i);
            CHECK_EQUAL(offset % LINE_BYTES, 0);
            CHECK_EQUAL(chain_offset(&straight, i), i * step);
        }
    }
}

int main(void)
{
    RUN(test_sets());
    RUN(test_steps());
    return unit_finish("unit_chain");
}
