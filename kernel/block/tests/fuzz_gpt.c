/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: a disk as tables of partitions, and what follows as a directory. The first byte
 * chooses the size of a block, which checksums are made right, and a block that cannot be read.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/block/gpt.h"
#include "kernel/block/layout.h"
#include "kernel/link/encoding.h"
#include "kernel/plan/bytes.h"
#include "tools/tests/support/demand.h"

#define BLOCKS         48
#define CHOICE_SIZE    3 /* 512 shifted by this */
#define CHOICE_SEAL    4
#define CHOICE_DAMAGE  8
#define CHOICE_MISSING 16
#define ENTRIES_LIMIT  65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t disk[BLOCKS * GPT_BLOCK_MAX];
static uint32_t block_bytes;
static uint64_t missing;

static bool read_block(void *context, uint64_t block, void *to)
{
    (void)context;
    demand(block < BLOCKS);
    memcpy(to, disk + block * block_bytes, block_bytes);
    return block != missing;
}

/* As if who wrote the tables had meant them so. */
static void seal_table(uint64_t own)
{
    uint8_t *header = disk + own * block_bytes;
    const uint64_t table = bytes_get(header + 72, 8);
    const uint64_t bytes = bytes_get(header + 80, 4) * bytes_get(header + 84, 4);
    const uint32_t length = (uint32_t)bytes_get(header + 12, 4);
    uint32_t crc;

    if (bytes <= ENTRIES_LIMIT && table < BLOCKS &&
        bytes <= (BLOCKS - table) * (uint64_t)block_bytes) {
        crc = gpt_crc32(disk + table * block_bytes, bytes);
        memcpy(header + 88, &crc, 4);
    }
    memset(header + 16, 0, 4);
    crc = gpt_crc32(header, length <= block_bytes ? length : block_bytes);
    memcpy(header + 16, &crc, 4);
}

static void check_layout(uint8_t *sector, uint64_t sectors, bool seal)
{
    struct layout layout;
    uint64_t end = LAYOUT_ALIGN;

    if (seal) {
        const uint32_t crc = crc32c(0, sector, 508);

        memcpy(sector + 508, &crc, 4);
    }
    if (layout_read(sector, sectors, &layout) != NULL) {
        return;
    }
    demand(layout.sectors <= sectors && layout.count >= 1 && layout.count <= LAYOUT_FILES_MAX);
    for (size_t i = 0; i < layout.count; i++) {
        const struct layout_file *file = &layout.files[i];

        demand(file->first >= end && file->first % LAYOUT_ALIGN == 0 && file->sectors > 0);
        demand(file->sectors <= layout.sectors && file->first <= layout.sectors - file->sectors);
        demand(layout_find(&layout, file->name) == file);
        end = file->first + file->sectors;
    }
    /* What was read, written again, is the same. */
    uint8_t again[LAYOUT_SECTOR];
    struct layout second;

    layout_sector(&layout, 0, again);
    demand(layout_read(again, sectors, &second) == NULL);
    demand(memcmp(&layout, &second, sizeof(layout)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t type[GPT_TYPE_BYTES] = LAYOUT_PARTITION_TYPE;
    static uint8_t buffer[GPT_BLOCK_MAX];
    struct gpt_partition found;

    if (size == 0) {
        return 0;
    }
    block_bytes = 512u << (data[0] & CHOICE_SIZE);
    missing = (data[0] & CHOICE_MISSING) != 0 ? 1 : UINT64_MAX;
    memset(disk, 0, sizeof(disk));
    memcpy(disk + block_bytes, data + 1,
           size - 1 < sizeof(disk) - block_bytes ? size - 1 : sizeof(disk) - block_bytes);
    if ((data[0] & CHOICE_DAMAGE) != 0) { /* the copy alone is left */
        memcpy(disk + (size_t)(BLOCKS - 1) * block_bytes, disk + block_bytes, block_bytes);
        disk[(size_t)(BLOCKS - 1) * block_bytes + 24] = BLOCKS - 1;
        disk[block_bytes] ^= 1;
    }
    if ((data[0] & CHOICE_SEAL) != 0) {
        seal_table(1);
        seal_table(BLOCKS - 1);
    }
    const struct gpt_disk parts = {BLOCKS, block_bytes, read_block, NULL, buffer};

    if (gpt_find(&parts, type, &found) == GPT_FOUND) {
        demand(found.blocks > 0 && found.first < BLOCKS && found.blocks <= BLOCKS - found.first);
        check_layout(disk + found.first * block_bytes, found.blocks * (block_bytes / LAYOUT_SECTOR),
                     (data[0] & CHOICE_SEAL) != 0);
    }
    check_layout(disk + block_bytes, BLOCKS, (data[0] & CHOICE_SEAL) != 0);
    return 0;
}
