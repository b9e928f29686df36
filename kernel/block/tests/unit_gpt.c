/* SPDX-License-Identifier: BSD-2-Clause */
/* Partitions by their GPT, kernel/block/gpt.h: tables made by hand, whole and damaged. */
#include "kernel/block/gpt.h"

#include <stdlib.h>

#include "kernel/block/layout.h"
#include "kernel/plan/bytes.h"
#include "tools/tests/support/unit.h"

#define BLOCKS  100
#define ENTRIES 128
#define FIRST   40 /* usable */
#define LAST    60

static const uint8_t ours[GPT_TYPE_BYTES] = LAYOUT_PARTITION_TYPE;
static uint8_t disk[BLOCKS][GPT_BLOCK_MAX];
static uint8_t buffer[GPT_BLOCK_MAX];
static uint32_t block_bytes;
static int64_t unreadable; /* that block; -1: all can be read */
static uint64_t highest;   /* block that was read */
static struct gpt_partition found;

static bool read_block(void *context, uint64_t block, void *to)
{
    (void)context;
    CHECK(block < BLOCKS);
    highest = block > highest ? block : highest;
    memcpy(to, disk[block], block_bytes);
    return (int64_t)block != unreadable;
}

static enum gpt_result find(void)
{
    const struct gpt_disk parts = {BLOCKS, block_bytes, read_block, NULL, buffer};

    found = (struct gpt_partition){0};
    highest = 0;
    return gpt_find(&parts, ours, &found);
}

/* ---- tables ---- */

/* Returns an entry of the table that begins at block `table`. */
static uint8_t *entry(uint64_t table, unsigned number, uint32_t entry_bytes)
{
    const uint64_t offset = (uint64_t)number * entry_bytes;

    return &disk[table + offset / block_bytes][offset % block_bytes];
}

static void seal(uint64_t own)
{
    static uint8_t all[65536];
    const uint64_t table = bytes_get(disk[own] + 72, 8);
    const uint64_t bytes = bytes_get(disk[own] + 80, 4) * bytes_get(disk[own] + 84, 4);

    if (bytes <= sizeof(all) && table < BLOCKS && bytes / block_bytes < BLOCKS - table) {
        for (uint64_t i = 0; i < bytes; i += block_bytes) {
            memcpy(all + i, disk[table + i / block_bytes], block_bytes);
        }
        bytes_put(disk[own] + 88, gpt_crc32(all, bytes), 4);
    }
    bytes_put(disk[own] + 16, 0, 4);
    bytes_put(disk[own] + 16, gpt_crc32(disk[own], 92), 4);
}

static void make_table(uint64_t own, uint64_t table, uint32_t entry_bytes)
{
    uint8_t *header = disk[own];

    memcpy(header, "EFI PART", 8);
    bytes_put(header + 8, 0x00010000, 4);
    bytes_put(header + 12, 92, 4);
    bytes_put(header + 24, own, 8);
    bytes_put(header + 32, BLOCKS - own, 8);
    bytes_put(header + 40, FIRST, 8);
    bytes_put(header + 48, LAST, 8);
    bytes_put(header + 72, table, 8);
    bytes_put(header + 80, ENTRIES * 128 / entry_bytes, 4);
    bytes_put(header + 84, entry_bytes, 4);
    seal(own);
}

static void put_partition(uint64_t table, unsigned number, uint32_t entry_bytes, uint64_t first,
                          uint64_t last)
{
    uint8_t *at = entry(table, number, entry_bytes);

    memcpy(at, ours, GPT_TYPE_BYTES);
    bytes_put(at + 32, first, 8);
    bytes_put(at + 40, last, 8);
}

/* A disk with our partition as the third of its entries, in both tables. */
static void make_disk(uint32_t bytes, uint32_t entry_bytes)
{
    memset(disk, 0, sizeof(disk));
    block_bytes = bytes;
    unreadable = -1;
    memset(entry(2, 0, entry_bytes), 0x28, GPT_TYPE_BYTES);
    put_partition(2, 2, entry_bytes, 45, 50);
    make_table(1, 2, entry_bytes);
    put_partition(BLOCKS - 33, 2, entry_bytes, 45, 50);
    make_table(BLOCKS - 1, BLOCKS - 33, entry_bytes);
}

static void check_found(void)
{
    CHECK_EQUAL(find(), GPT_FOUND);
    CHECK_EQUAL(found.first, 45);
    CHECK_EQUAL(found.blocks, 6);
}

/* ---- tests ---- */

static void test_checksum(void)
{
    CHECK_EQUAL(gpt_crc32("123456789", 9), 0xcbf43926u);
    CHECK_EQUAL(gpt_crc32("", 0), 0);
}

static void test_found_whatever_the_sizes(void)
{
    static const uint32_t entry_sizes[] = {128, 256, 512, 1024, 2048, 4096};

    for (uint32_t bytes = 512; bytes <= 4096; bytes *= 2) {
        for (size_t i = 0; i < sizeof(entry_sizes) / sizeof(entry_sizes[0]); i++) {
            make_disk(bytes, entry_sizes[i]);
            check_found();
            CHECK(highest < FIRST);
        }
    }
}

static void test_first_of_several(void)
{
    make_disk(512, 128);
    put_partition(2, 9, 128, 51, 60);
    seal(1);
    check_found();
    put_partition(2, 1, 128, 40, 40);
    seal(1);
    CHECK_EQUAL(find(), GPT_FOUND);
    CHECK_EQUAL(found.first, 40);
    CHECK_EQUAL(found.blocks, 1);
}

static void test_none_of_ours(void)
{
    make_disk(512, 128);
    entry(2, 2, 128)[0] ^= 1;
    seal(1);
    CHECK_EQUAL(find(), GPT_NO_PARTITION);
    CHECK(highest < FIRST); /* the copy is not asked where the first holds */
}

/* An entry whose blocks cannot be is none. */
static void test_places_that_cannot_be(void)
{
    static const uint64_t places[][2] = {{50, 49}, {FIRST - 1, 50},          {50, LAST + 1},
                                         {0, 0},   {UINT64_MAX, UINT64_MAX}, {0, UINT64_MAX}};

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        make_disk(512, 128);
        put_partition(2, 2, 128, places[i][0], places[i][1]);
        seal(1);
        CHECK_EQUAL(find(), GPT_NO_PARTITION);
    }
}

static void test_the_copy_where_the_first_is_damaged(void)
{
    for (unsigned byte = 0; byte < 92; byte++) {
        make_disk(512, 128);
        disk[1][byte] ^= 0x40;
        check_found();
        CHECK_EQUAL(highest, BLOCKS - 1);
    }
    make_disk(4096, 128);
    entry(2, 100, 128)[5] ^= 1; /* an entry that is of no interest */
    check_found();
    CHECK_EQUAL(highest, BLOCKS - 1);
}

static void test_nothing_where_both_are_damaged(void)
{
    make_disk(512, 128);
    disk[1][0] ^= 1;
    disk[BLOCKS - 1][0] ^= 1;
    CHECK_EQUAL(find(), GPT_NO_TABLE);
    memset(disk, 0, sizeof(disk));
    CHECK_EQUAL(find(), GPT_NO_TABLE);
}

/* A header whose checksums hold, and which lies. */
static void refuse_header(size_t at, uint64_t value, size_t bytes)
{
    make_disk(512, 128);
    bytes_put(disk[1] + at, value, bytes);
    seal(1);
    disk[BLOCKS - 1][0] = 0;
    CHECK_EQUAL(find(), GPT_NO_TABLE);
}

static void test_bounds_of_a_header(void)
{
    refuse_header(8, 0x00020000, 4);           /* another revision */
    refuse_header(12, 91, 4);                  /* too short */
    refuse_header(12, 513, 4);                 /* longer than a block */
    refuse_header(24, 2, 8);                   /* of another block */
    refuse_header(40, LAST + 1, 8);            /* first usable block after the last */
    refuse_header(48, BLOCKS, 8);              /* last usable block beyond the disk */
    refuse_header(72, 0, 8);                   /* entries over the boot block, */
    refuse_header(72, 1, 8);                   /* over the header, */
    refuse_header(72, BLOCKS - 31, 8);         /* over the end, */
    refuse_header(72, UINT64_MAX, 8);          /* and beyond */
    refuse_header(80, 0, 4);                   /* none */
    refuse_header(80, GPT_ENTRIES_MAX + 1, 4); /* too many */
    refuse_header(80, UINT32_MAX, 4);
    refuse_header(84, 64, 4); /* too small, */
    refuse_header(84, 192, 4);
    refuse_header(84, 8192, 4);
    refuse_header(84, UINT32_MAX, 4);
    refuse_header(84, 0, 4);
}

static void test_blocks_that_cannot_be_read(void)
{
    static const uint64_t needed[] = {1, 2, 33};

    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        make_disk(512, 128);
        unreadable = (int64_t)needed[i];
        check_found(); /* by the copy */
        disk[BLOCKS - 1][0] ^= 1;
        CHECK_EQUAL(find(), GPT_UNREADABLE);
    }
}

static void test_disks_too_small(void)
{
    make_disk(512, 128);
    for (uint64_t blocks = 0; blocks < 3; blocks++) {
        const struct gpt_disk parts = {blocks, block_bytes, read_block, NULL, buffer};

        CHECK_EQUAL(gpt_find(&parts, ours, &found), GPT_NO_TABLE);
    }
}

int main(void)
{
    RUN(test_checksum());
    RUN(test_found_whatever_the_sizes());
    RUN(test_first_of_several());
    RUN(test_none_of_ours());
    RUN(test_places_that_cannot_be());
    RUN(test_the_copy_where_the_first_is_damaged());
    RUN(test_nothing_where_both_are_damaged());
    RUN(test_bounds_of_a_header());
    RUN(test_blocks_that_cannot_be_read());
    RUN(test_disks_too_small());
    return unit_finish("unit_gpt");
}
