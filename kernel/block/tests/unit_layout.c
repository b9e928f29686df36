/* SPDX-License-Identifier: BSD-2-Clause */
/* tare's partition, kernel/block/layout.h, against its description put into bytes once more. */
#include "kernel/block/layout.h"

#include <stdlib.h>

#include "kernel/plan/bytes.h"
#include "tools/tests/support/unit.h"

static struct layout layout;
static uint8_t sector[LAYOUT_SECTOR];

/* Bit by bit, reflected: RFC 3720 appendix B.4. */
static uint32_t checksum(const uint8_t *bytes, size_t length)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82f63b78u : crc >> 1;
        }
    }
    return ~crc;
}

static void seal(void)
{
    bytes_put(sector + 508, checksum(sector, 508), 4);
}

static void check_sector(uint64_t file, uint64_t n)
{
    CHECK_EQUAL(bytes_get(sector, 8), n);
    CHECK_EQUAL(bytes_get(sector + 8, 8), file);
    for (uint32_t k = 0; k < 123; k++) {
        CHECK_EQUAL(bytes_get(sector + 16 + 4 * k, 4), k * 0x9e3779b9u);
    }
    CHECK_EQUAL(bytes_get(sector + 508, 4), checksum(sector, 508));
    CHECK(layout_check(sector, file, n));
}

static void test_every_sector_is_as_described(void)
{
    static const uint8_t zeroes[LAYOUT_SECTOR];

    layout_plan(&layout, 64, true);
    CHECK_EQUAL(layout.sectors, 8 + 64 + LAYOUT_DOC_SECTORS + LAYOUT_SLIDES_SECTORS);
    for (uint64_t i = 1; i < layout.sectors; i++) {
        layout_sector(&layout, i, sector);
        if (i < 8) {
            CHECK(memcmp(sector, zeroes, LAYOUT_SECTOR) == 0);
        } else if (i < 72) {
            check_sector(1, i - 8);
        } else if (i < 72 + LAYOUT_DOC_SECTORS) {
            check_sector(2, i - 72);
        } else {
            check_sector(3, i - 72 - LAYOUT_DOC_SECTORS);
        }
    }
}

static void test_large_numbers(void)
{
    layout_plan(&layout, 1ull << 40, false);
    CHECK_EQUAL(layout.sectors, (1ull << 40) + 8);
    layout_sector(&layout, (1ull << 40) + 7, sector);
    check_sector(1, (1ull << 40) - 1);
}

/* A sector that differs in one bit, or has another number, is detected. */
static void test_what_is_wrong_is_noticed(void)
{
    uint8_t other[LAYOUT_SECTOR];

    layout_plan(&layout, 4096, true);
    layout_sector(&layout, 8 + 77, sector);
    for (unsigned bit = 0; bit < 8 * LAYOUT_SECTOR; bit++) {
        sector[bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK(!layout_check(sector, 1, 77));
        sector[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    CHECK(layout_check(sector, 1, 77));
    CHECK(!layout_check(sector, 1, 78));
    CHECK(!layout_check(sector, 2, 77));
    layout_sector(&layout, 8 + 78, other);
    for (size_t half = 1; half < LAYOUT_SECTOR; half++) {
        memcpy(sector + half, other + half, LAYOUT_SECTOR - half);
        CHECK(!layout_check(sector, 1, 77) || half > 508);
        CHECK(!layout_check(sector, 1, 78));
        layout_sector(&layout, 8 + 77, sector);
    }
}

/* ---- the directory ---- */

static void plan_directory(void)
{
    layout_plan(&layout, 1024, true);
    layout_sector(&layout, 0, sector);
}

static void test_directory_comes_back(void)
{
    struct layout back;

    plan_directory();
    CHECK(memcmp(sector, "tarefile\1\0\0\0\3\0\0\0", 16) == 0);
    CHECK_EQUAL(bytes_get(sector + 508, 4), checksum(sector, 508));
    CHECK_TEXT(layout_read(sector, layout.sectors, &back), NULL);
    CHECK_EQUAL(back.count, 3);
    CHECK_EQUAL(back.sectors, layout.sectors);
    for (size_t i = 0; i < 3; i++) {
        CHECK_TEXT(back.files[i].name, layout.files[i].name);
        CHECK_EQUAL(back.files[i].first, layout.files[i].first);
        CHECK_EQUAL(back.files[i].sectors, layout.files[i].sectors);
    }
    CHECK(layout_find(&back, LAYOUT_DOC) == &back.files[1]);
    CHECK(layout_find(&back, "OTHER.DAT") == NULL);
}

static const char *read_changed(size_t at, uint64_t value, size_t bytes)
{
    struct layout back;

    plan_directory();
    bytes_put(sector + at, value, bytes);
    seal();
    return layout_read(sector, layout.sectors, &back);
}

static void test_nothing_of_a_directory_is_believed(void)
{
    struct layout back;

    plan_directory();
    CHECK(layout_read(sector, layout.sectors - 1, &back) != NULL);
    sector[20] ^= 1;
    CHECK_TEXT(layout_read(sector, layout.sectors, &back), "the directory's checksum is wrong");
    CHECK_TEXT(read_changed(0, 0, 8), "the partition has no directory");
    CHECK_TEXT(read_changed(8, 2, 4), "the directory has an unknown version");
    CHECK(read_changed(12, 0, 4) != NULL);
    CHECK(read_changed(12, LAYOUT_FILES_MAX + 1, 4) != NULL);
    CHECK(read_changed(12, 4, 4) != NULL);         /* the fourth has no name */
    CHECK(read_changed(24, 0, 1) != NULL);         /* nor the first */
    CHECK(read_changed(24 + 15, 'x', 1) != NULL);  /* a character after the end of its name */
    CHECK(read_changed(24, '\n', 1) != NULL);      /* not to be printed */
    CHECK(read_changed(24 + 16, 0, 8) != NULL);    /* over the directory */
    CHECK(read_changed(24 + 16, 9, 8) != NULL);    /* not at a whole block */
    CHECK(read_changed(24 + 24, 0, 8) != NULL);    /* nothing in it */
    CHECK(read_changed(24 + 24, 1025, 8) != NULL); /* not of whole blocks */
    CHECK(read_changed(24 + 24, 1032, 8) != NULL); /* into the next */
    CHECK(read_changed(24 + 24, UINT64_MAX - 7, 8) != NULL);
    CHECK(read_changed(24 + 80, 8, 8) != NULL);                         /* before the one before */
    CHECK(read_changed(24 + 80, UINT64_MAX - 7, 8) != NULL);            /* beyond the end */
    CHECK(read_changed(24 + 88, LAYOUT_SLIDES_SECTORS + 8, 8) != NULL); /* over the end */
    CHECK_TEXT(read_changed(24 + 88, LAYOUT_SLIDES_SECTORS - 8, 8), NULL);
}

static void test_two_of_one_name(void)
{
    struct layout back;

    plan_directory();
    memcpy(sector + 24 + 32, sector + 24, LAYOUT_NAME_MAX);
    seal();
    CHECK_TEXT(layout_read(sector, layout.sectors, &back),
               "two files in the directory have the same name");
}

static void test_sizes_of_a_plan(void)
{
    layout_plan(&layout, 0, false);
    CHECK_EQUAL(layout.files[0].sectors, LAYOUT_ALIGN);
    layout_plan(&layout, 8 * LAYOUT_ALIGN + 5, false);
    CHECK_EQUAL(layout.files[0].sectors, 8 * LAYOUT_ALIGN);
    CHECK_EQUAL(layout.count, 1);
}

/* Bytes from anywhere, over the ends of sectors and files, are those of the sectors. */
static void test_bytes_of_any_place(void)
{
    static const struct {
        uint64_t offset;
        size_t length;
    } parts[] = {{0, 512}, {0, 1}, {511, 2}, {8 * 512 - 3, 1030}, {71 * 512 + 500, 24}, {700, 0}};
    uint8_t bytes[1030];

    layout_plan(&layout, 64, true);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        memset(bytes, 0xa5, sizeof(bytes));
        layout_bytes(&layout, parts[i].offset, bytes, parts[i].length);
        for (size_t at = 0; at < sizeof(bytes); at++) {
            const uint64_t offset = parts[i].offset + at;

            layout_sector(&layout, offset / LAYOUT_SECTOR, sector);
            CHECK_EQUAL(bytes[at], at < parts[i].length ? sector[offset % LAYOUT_SECTOR] : 0xa5);
        }
    }
}

int main(void)
{
    RUN(test_every_sector_is_as_described());
    RUN(test_large_numbers());
    RUN(test_what_is_wrong_is_noticed());
    RUN(test_directory_comes_back());
    RUN(test_nothing_of_a_directory_is_believed());
    RUN(test_two_of_one_name());
    RUN(test_sizes_of_a_plan());
    RUN(test_bytes_of_any_place());
    return unit_finish("unit_layout");
}
