/* SPDX-License-Identifier: BSD-2-Clause */
/* An SD card's size from its register CSD, and its clock: kernel/block/sd_card.h. */
#include "kernel/block/sd_card.h"

#include <stddef.h>

#include "tools/tests/support/unit.h"

static uint32_t response[4];
static uint64_t blocks;

/* Bits `first` and up of the CSD, whose lowest 8 are not in the response. */
static void set_bits(unsigned first, unsigned bits, uint32_t value)
{
    for (unsigned i = 0; i < bits; i++) {
        const unsigned bit = first + i - 8;

        response[bit / 32] &= ~(1u << bit % 32);
        response[bit / 32] |= (value >> i & 1) << bit % 32;
    }
}

static void first_version(uint32_t length, uint32_t size, uint32_t multiplier)
{
    memset(response, 0, sizeof(response));
    set_bits(80, 4, length);
    set_bits(62, 12, size);
    set_bits(47, 3, multiplier);
}

static void test_first_version(void)
{
    first_version(9, 4095, 7); /* 1 GiB */
    CHECK_TEXT(sd_blocks(response, &blocks), NULL);
    CHECK_EQUAL(blocks, 1 << 21);
    first_version(10, 4095, 7); /* 2 GiB, as blocks of 1024 bytes */
    CHECK_TEXT(sd_blocks(response, &blocks), NULL);
    CHECK_EQUAL(blocks, 1 << 22);
    first_version(9, 0, 0);
    CHECK_TEXT(sd_blocks(response, &blocks), NULL);
    CHECK_EQUAL(blocks, 4);
    first_version(8, 4095, 7);
    CHECK(sd_blocks(response, &blocks) != NULL);
    first_version(12, 4095, 7);
    CHECK(sd_blocks(response, &blocks) != NULL);
}

static void test_second_version(void)
{
    memset(response, 0, sizeof(response));
    set_bits(126, 2, 1);
    set_bits(48, 22, 8191); /* 4 GiB */
    CHECK_TEXT(sd_blocks(response, &blocks), NULL);
    CHECK_EQUAL(blocks, 1 << 23);
    set_bits(48, 22, 0x3fffff);
    CHECK_TEXT(sd_blocks(response, &blocks), NULL);
    CHECK_EQUAL(blocks, 1ull << 32);
    set_bits(126, 2, 2);
    CHECK(sd_blocks(response, &blocks) != NULL);
}

/* What the divider makes of the base clock. */
static uint64_t divided(uint64_t base_hz, uint16_t divider, bool fine)
{
    const uint32_t half = divider >> 8 | (fine ? (divider >> 6 & 3u) << 8 : 0);

    return half == 0 ? base_hz : base_hz / (2 * half);
}

static void test_divider(void)
{
    CHECK_EQUAL(sd_divider(25000000, 25000000, true), 0);
    CHECK_EQUAL(sd_divider(50000000, 25000000, false), 0x0100);
    CHECK_EQUAL(sd_divider(52000000, 25000000, false), 0x0200);
    CHECK_EQUAL(sd_divider(52000000, 25000000, true), 0x0200);
    CHECK_EQUAL(sd_divider(52000000, 400000, false), 0x8000);
    CHECK_EQUAL(sd_divider(52000000, 400000, true), 0x4100);
    CHECK_EQUAL(sd_divider(255000000, 400000, true), 0x3f40); /* 0x13f */
    for (uint64_t mhz = 1; mhz < 256; mhz++) {
        const uint64_t hz = mhz * 1000000;

        CHECK(divided(hz, sd_divider(hz, 400000, true), true) <= 400000);
        CHECK(divided(hz, sd_divider(hz, 25000000, true), true) <= 25000000);
        CHECK(mhz > 63 || divided(hz, sd_divider(hz, 400000, false), false) <= 400000);
    }
}

int main(void)
{
    RUN(test_first_version());
    RUN(test_second_version());
    RUN(test_divider());
    return unit_finish("unit_sd_card");
}
