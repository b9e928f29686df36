/* SPDX-License-Identifier: BSD-2-Clause */
/* What is believed of an ATA device, kernel/block/ata.h: pages by hand. */
#include "kernel/block/ata.h"

#include <stddef.h>

#include "tools/tests/support/unit.h"

static uint8_t page[ATA_PAGE];
static struct ata_identity identity;

static void set_word(unsigned number, unsigned value)
{
    page[2 * number] = (uint8_t)value;
    page[2 * number + 1] = (uint8_t)(value >> 8);
}

static void set_words(unsigned number, uint64_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        set_word(number + i, (unsigned)(value >> 16 * i & 0xffff));
    }
}

/* The last byte makes the sum of all 0. */
static void sum_up(void)
{
    uint8_t sum = 0;

    for (unsigned i = 0; i < ATA_PAGE - 1; i++) {
        sum = (uint8_t)(sum + page[i]);
    }
    page[ATA_PAGE - 1] = (uint8_t)-sum;
}

static void seal_identity(void)
{
    page[ATA_PAGE - 2] = 0xa5;
    sum_up();
}

/* A disk of 512-byte blocks that queues 32 commands. */
static void plain_disk(uint64_t blocks)
{
    memset(page, 0, sizeof(page));
    set_word(0, 0x0040);
    set_word(49, 0x0300);
    set_word(75, 31);
    set_word(76, 0x0102);
    set_word(83, 0x4400);
    set_words(100, blocks, 4);
    seal_identity();
}

static void test_sizes(void)
{
    plain_disk(0x123456789abull);
    CHECK_TEXT(ata_identify(page, &identity), NULL);
    CHECK_EQUAL(identity.blocks, 0x123456789abull);
    CHECK_EQUAL(identity.block_bytes, 512);
    plain_disk(ATA_BLOCKS_MAX);
    CHECK_TEXT(ata_identify(page, &identity), NULL);
    plain_disk(ATA_BLOCKS_MAX + 1);
    CHECK(ata_identify(page, &identity) != NULL);
    plain_disk(0);
    CHECK(ata_identify(page, &identity) != NULL);
}

static void test_extended_size(void)
{
    plain_disk(0xffffffff);
    set_words(230, 0x1d1c0beb0ull, 4);
    seal_identity();
    CHECK_TEXT(ata_identify(page, &identity), NULL);
    CHECK_EQUAL(identity.blocks, 0xffffffff); /* word 69 does not offer it */
    set_word(69, 0x0008);
    seal_identity();
    CHECK_TEXT(ata_identify(page, &identity), NULL);
    CHECK_EQUAL(identity.blocks, 0x1d1c0beb0ull);
}

static void test_sectors(void)
{
    plain_disk(1000);
    set_words(117, 2048, 2);
    seal_identity();
    CHECK_TEXT(ata_identify(page, &identity), NULL);
    CHECK_EQUAL(identity.block_bytes, 512); /* word 106 does not offer it */
    set_word(106, 0x1000);
    seal_identity();
    CHECK_TEXT(ata_identify(page, &identity), NULL);
    CHECK_EQUAL(identity.block_bytes, 512); /* nor is it valid */
    set_word(106, 0x5000);
    seal_identity();
    CHECK_TEXT(ata_identify(page, &identity), NULL);
    CHECK_EQUAL(identity.block_bytes, 4096);
    CHECK_EQUAL(identity.blocks, 1000);
    set_words(117, 260, 2); /* 520 bytes */
    seal_identity();
    CHECK(ata_identify(page, &identity) != NULL);
    set_word(106, 0x6003); /* 8 of 512 bytes in a physical one */
    seal_identity();
    CHECK_TEXT(ata_identify(page, &identity), NULL);
    CHECK_EQUAL(identity.block_bytes, 512);
}

static void test_queue(void)
{
    plain_disk(1000);
    CHECK_TEXT(ata_identify(page, &identity), NULL);
    CHECK_EQUAL(identity.depth, 32);
    set_word(75, 0xffe0);
    seal_identity();
    CHECK_TEXT(ata_identify(page, &identity), NULL);
    CHECK_EQUAL(identity.depth, 1);
    plain_disk(1000);
    set_word(76, 0x0006);
    seal_identity();
    CHECK_TEXT(ata_identify(page, &identity), NULL);
    CHECK_EQUAL(identity.depth, 1);
    set_word(76, 0xffff);
    seal_identity();
    CHECK_TEXT(ata_identify(page, &identity), NULL);
    CHECK_EQUAL(identity.depth, 1);
}

static void test_others(void)
{
    plain_disk(1000);
    page[20] ^= 1;
    CHECK_TEXT(ata_identify(page, &identity), "its IDENTIFY DEVICE data have a wrong checksum");
    page[ATA_PAGE - 2] = 0; /* it has none */
    CHECK_TEXT(ata_identify(page, &identity), NULL);
    set_word(0, 0x8580);
    CHECK_TEXT(ata_identify(page, &identity), "not an ATA device");
    plain_disk(1000);
    set_word(83, 0x4000);
    seal_identity();
    CHECK_TEXT(ata_identify(page, &identity), "it does not support READ DMA EXT");
    set_word(83, 0x0400); /* not valid */
    seal_identity();
    CHECK_TEXT(ata_identify(page, &identity), "it does not support READ DMA EXT");
    plain_disk(1000);
    set_word(49, 0x0200);
    seal_identity();
    CHECK_TEXT(ata_identify(page, &identity), "it does not support READ DMA EXT");
}

static void test_queue_error(void)
{
    struct ata_queue_error found;

    memset(page, 0, sizeof(page));
    page[0] = 17;
    page[2] = 0x41;
    page[3] = 0x40;
    sum_up();
    CHECK(ata_queue_error(page, &found));
    CHECK_EQUAL(found.tag, 17);
    CHECK_EQUAL(found.status, 0x41);
    CHECK_EQUAL(found.error, 0x40);
    page[100] = 1;
    CHECK(!ata_queue_error(page, &found));
    page[100] = 0;
    page[0] = 0x80 | 17; /* the command was not a queued one */
    sum_up();
    CHECK(!ata_queue_error(page, &found));
    memset(page, 0, sizeof(page)); /* no error */
    CHECK(!ata_queue_error(page, &found));
}

int main(void)
{
    RUN(test_sizes());
    RUN(test_extended_size());
    RUN(test_sectors());
    RUN(test_queue());
    RUN(test_others());
    RUN(test_queue_error());
    return unit_finish("unit_ata");
}
