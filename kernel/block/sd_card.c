/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/sd_card.h"

#include <stddef.h>

/* Bits of the CSD of version 1 and 2. */
#define STRUCTURE     126, 2
#define BLOCK_LENGTH  80, 4
#define SIZE_1        62, 12
#define MULTIPLIER_1  47, 3
#define SIZE_2        48, 22
#define VERSION_1     0
#define VERSION_2     1
#define LENGTH_MIN    9 /* 2^9 bytes, to 2^11 */
#define LENGTH_MAX    11
#define UNIT_2        1024 /* blocks: 512 KiB */
#define IN_RESPONSE   8    /* the lowest bits are not there */
#define FINE_MAX      1023
#define COARSE_MAX    128
#define FINE_UPPER(n) (((n) >> 8 & 3) << 6)

/* `bits` from bit `first` of the CSD on. */
static uint32_t field(const uint32_t response[4], uint32_t first, uint32_t bits)
{
    uint32_t value = 0;

    for (uint32_t i = bits; i-- > 0;) {
        const uint32_t bit = first + i - IN_RESPONSE;

        value = value << 1 | (response[bit / 32] >> bit % 32 & 1);
    }
    return value;
}

const char *sd_blocks(const uint32_t response[4], uint64_t *blocks)
{
    const uint32_t version = field(response, STRUCTURE);

    if (version == VERSION_2) {
        *blocks = (field(response, SIZE_2) + 1ull) * UNIT_2;
        return NULL;
    }
    if (version != VERSION_1) {
        return "a card of a kind that is not known here";
    }
    const uint32_t length = field(response, BLOCK_LENGTH);

    if (length < LENGTH_MIN || length > LENGTH_MAX) {
        return "it does not report its size";
    }
    *blocks = (field(response, SIZE_1) + 1ull)
              << (field(response, MULTIPLIER_1) + 2 + length - LENGTH_MIN);
    return NULL;
}

uint16_t sd_divider(uint64_t base_hz, uint64_t wanted_hz, bool fine)
{
    if (fine) {
        uint64_t half = 0;

        while (half < FINE_MAX && base_hz > wanted_hz * (half != 0 ? 2 * half : 1)) {
            half++;
        }
        return (uint16_t)((half & 0xff) << 8 | FINE_UPPER(half));
    }
    uint64_t half = 0;

    while (half < COARSE_MAX && base_hz > wanted_hz * (half != 0 ? 2 * half : 1)) {
        half = half != 0 ? 2 * half : 1;
    }
    return (uint16_t)(half << 8);
}
