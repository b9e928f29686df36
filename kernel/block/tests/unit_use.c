/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests which disk is read, and which part of it (kernel/block/use.h), on disks in memory that note
 * every block that is read.
 */
#include <stdlib.h>

#include "kernel/block/block.h"
#include "kernel/block/drivers.h"
#include "kernel/block/modelled_disk.h"
#include "tools/tests/support/unit.h"

// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernel/block/use.c"
// NOLINTEND(bugprone-suspicious-include)

#define BLOCKS      200
#define PARTITION   50 /* block */
#define LAST        180
#define OUTSIDE_MAX 8

static struct {
    struct block_disk disk;
    uint8_t bytes[BLOCKS][BLOCK_BYTES_MAX];
    bool read[BLOCKS];
    bool opens;
} disks[3];
static size_t disk_count; /* that there are */
static size_t found;      /* of these, by now */
static struct block_disk model;
static const char *model_fails;
static struct clock_state clocks;
static unsigned searches;

/* ---- drivers, and the disks that they find ---- */

static size_t index_of(const struct block_disk *disk)
{
    size_t i = 0;

    while (i < disk_count && &disks[i].disk != disk) {
        i++;
    }
    return i;
}

static void find_none(void)
{
    searches++;
}

static void find_all(void)
{
    searches++;
    found = disk_count;
}

const struct block_driver nvme_driver = {.name = "nvme", .find = find_all};
const struct block_driver ahci_driver = {.name = "ahci", .find = find_none};
const struct block_driver virtio_driver = {.name = "virtio", .find = find_none};

struct block_disk *block_disk_at(size_t index)
{
    if (index < found) {
        return &disks[index].disk;
    }
    return index == found && model.name[0] != '\0' ? &model : NULL;
}

const char *block_open(struct block_disk *disk, uint32_t depth, bool interrupts)
{
    CHECK(depth == 1 && !interrupts && disk->depth == 0);
    if (disk->unusable != NULL) {
        return disk->unusable;
    }
    disk->depth = 1;
    return disks[index_of(disk)].opens ? NULL : "it does not start";
}

void block_close(struct block_disk *disk)
{
    CHECK_EQUAL(disk->depth, 1);
    disk->depth = 0;
}

bool block_submit(struct block_disk *disk, struct block_request *request)
{
    const size_t i = index_of(disk);

    CHECK(disk->depth == 1 && request->blocks == 1 && request->block < BLOCKS);
    CHECK(request->block >= disk->allowed_first &&
          request->block < disk->allowed_first + disk->allowed);
    disks[i].read[request->block] = true;
    memcpy(request->to, disks[i].bytes[request->block], disk->block_bytes);
    request->error = disk->unusable != NULL ? BLOCK_TIMEOUT : BLOCK_GOOD;
    return true;
}

void block_wait(struct block_disk *disk, struct block_request *request)
{
    (void)disk;
    (void)request;
}

struct block_disk *modelled_disk(const struct disk_timing *timing, uint64_t mib)
{
    CHECK(timing != NULL && mib == BLOCK_MIB_DEFAULT);
    snprintf(model.name, sizeof(model.name), "%s", MODELLED_DISK);
    model.blocks = 100;
    model.block_bytes = LAYOUT_SECTOR;
    return &model;
}

const struct layout *modelled_disk_layout(void)
{
    static struct layout layout;

    layout_plan(&layout, 80, false);
    return &layout;
}

const char *modelled_disk_fill(void)
{
    return model_fails;
}

static const struct disk_timing *kept;

void modelled_disk_keep(const struct disk_timing *timing)
{
    kept = timing;
}

const struct clock_state *clock_state(void)
{
    return &clocks;
}

/* ---- disks ---- */

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
    memcpy(at, &value, bytes);
}

static void fresh(size_t count)
{
    memset(disks, 0, sizeof(disks));
    memset(&model, 0, sizeof(model));
    memset(&volume, 0, sizeof(volume));
    memset(&clocks, 0, sizeof(clocks));
    looked_for_disks = false;
    looked_for_volume = false;
    model_fails = NULL;
    disk_count = count;
    found = 0;
    searches = 0;
    for (size_t i = 0; i < count; i++) {
        snprintf(disks[i].disk.name, BLOCK_NAME_MAX, "disk%u", (unsigned)i % 10);
        disks[i].disk.blocks = BLOCKS;
        disks[i].disk.block_bytes = 512;
        disks[i].opens = true;
    }
}

static void add_partition(size_t i, uint32_t block_bytes)
{
    static const uint8_t type[GPT_TYPE_BYTES] = LAYOUT_PARTITION_TYPE;
    static uint8_t entries[128 * 128];
    uint8_t *header = disks[i].bytes[1];
    struct layout layout;

    disks[i].disk.block_bytes = block_bytes;
    memset(entries, 0, sizeof(entries));
    memcpy(entries + 128, type, sizeof(type));
    put(entries + 128 + 32, PARTITION, 8);
    put(entries + 128 + 40, LAST, 8);
    for (size_t k = 0; k < sizeof(entries) / block_bytes; k++) {
        memcpy(disks[i].bytes[2 + k], entries + k * block_bytes, block_bytes);
    }
    memcpy(header, "EFI PART\0\0\1\0\134\0\0\0", 16);
    put(header + 24, 1, 8);
    put(header + 40, 40, 8);
    put(header + 48, LAST, 8);
    put(header + 72, 2, 8);
    put(header + 80, 128, 4);
    put(header + 84, 128, 4);
    put(header + 88, gpt_crc32(entries, sizeof(entries)), 4);
    put(header + 16, gpt_crc32(header, 92), 4);
    layout_plan(&layout, 64, false);
    layout_sector(&layout, 0, disks[i].bytes[PARTITION]);
}

/* Nothing was read of it but its tables and, where it has one, tare's directory. */
static void check_read(size_t i, bool directory)
{
    for (uint64_t block = 0; block < BLOCKS; block++) {
        const bool tables = (block >= 1 && block < 40) || block == BLOCKS - 1;

        CHECK(!disks[i].read[block] || tables || (directory && block == PARTITION));
    }
}

static const struct block_volume *chosen(const char *use, bool may_drive, const char *why)
{
    const struct block_volume *it;

    block_use(&(struct block_settings){.use = use,
                                       .model = BLOCK_MODEL_DEFAULT,
                                       .mib = BLOCK_MIB_DEFAULT,
                                       .may_drive = may_drive});
    CHECK_TEXT(block_volume(&it), why);
    CHECK((it == NULL) == (why != NULL));
    return it;
}

static void check_partition(const struct block_volume *it, size_t i)
{
    const uint64_t per_block = disks[i].disk.block_bytes / 512;

    CHECK(it->disk == &disks[i].disk && it->verified);
    CHECK_EQUAL(it->first_sector, PARTITION * per_block);
    CHECK_EQUAL(it->sectors, (LAST - PARTITION + 1) * per_block);
    CHECK_EQUAL(it->disk->allowed_first, PARTITION);
    CHECK_EQUAL(it->disk->allowed, LAST - PARTITION + 1);
    CHECK_EQUAL(it->layout.files[0].sectors, 64);
    CHECK_EQUAL(it->disk->depth, 0);
}

static void check_model(const struct block_volume *it)
{
    CHECK(it->disk == &model && it->verified);
    CHECK_EQUAL(it->sectors, 100);
    CHECK_EQUAL(it->disk->allowed, 100);
}

/* ---- tests ---- */

static void test_exact_time_touches_no_device(void)
{
    fresh(1);
    add_partition(0, 512);
    clocks.ticks_per_instruction = 64;
    check_model(chosen(NULL, true, NULL));
    CHECK_EQUAL(searches, 0);
}

static void test_a_borrowed_machine_keeps_its_devices(void)
{
    fresh(1);
    add_partition(0, 512);
    check_model(chosen(NULL, false, NULL));
    CHECK_EQUAL(searches, 0);
    fresh(1);
    CHECK(chosen("disk0", false,
                 "disk.use=disk0: no such disk; there are model; real disks can be read only with "
                 "machine=own") == NULL);
    CHECK_EQUAL(searches, 0);
}

static void test_the_first_disk_with_a_partition(void)
{
    for (uint32_t bytes = 512; bytes <= 4096; bytes *= 8) {
        fresh(3);
        add_partition(1, bytes);
        add_partition(2, 512);
        check_partition(chosen(NULL, true, NULL), 1);
        CHECK_EQUAL(searches, 3);
        CHECK_EQUAL(disks[0].disk.allowed, 0);
        CHECK_EQUAL(disks[2].disk.allowed, 0);
        check_read(0, false);
        check_read(1, true);
        check_partition(chosen(NULL, true, NULL), 1); /* found once */
        CHECK_EQUAL(searches, 3);
    }
}

static void test_no_partition_anywhere(void)
{
    fresh(3);
    disks[1].disk.unusable = "it is broken";
    disks[2].opens = false;
    check_model(chosen(NULL, true, NULL));
    for (size_t i = 0; i < 3; i++) {
        CHECK_EQUAL(disks[i].disk.allowed, 0);
        check_read(i, false);
    }
}

static void test_a_disk_by_name(void)
{
    fresh(2);
    const struct block_volume *it = chosen("disk1", true, NULL);

    CHECK(it->disk == &disks[1].disk && !it->verified);
    CHECK_EQUAL(it->sectors, BLOCKS);
    CHECK_EQUAL(it->disk->allowed, BLOCKS);
    CHECK_EQUAL(disks[0].disk.allowed, 0);
    fresh(2);
    add_partition(1, 4096);
    check_partition(chosen("disk1", true, NULL), 1);
    fresh(1);
    add_partition(0, 512);
    check_model(chosen("model", true, NULL));
    CHECK_EQUAL(searches, 0);
}

static void test_what_cannot_be_used(void)
{
    fresh(2);
    chosen("sda", true, "disk.use=sda: no such disk; there are disk0, disk1, model");
    fresh(1);
    disks[0].disk.unusable = "it is broken";
    chosen("disk0", true, "disk0: it is broken");
    fresh(1);
    add_partition(0, 512);
    disks[0].bytes[PARTITION][20] ^= 1;
    chosen(
        NULL, true,
        "disk0: tare's partition: the directory's checksum is wrong; write it again (tare disk)");
    CHECK_EQUAL(disks[0].disk.allowed, 0);
    fresh(1);
    add_partition(0, 512);
    struct layout larger;

    layout_plan(&larger, 2000, false);
    layout_sector(&larger, 0, disks[0].bytes[PARTITION]);
    chosen("disk0", true,
           "disk0: tare's partition: the directory describes more sectors than the partition has; "
           "write it again (tare disk)");
    CHECK_EQUAL(disks[0].disk.allowed, 0);
}

/* Memory that is missing at first is asked for again. */
static void test_model_without_memory(void)
{
    fresh(0);
    model_fails = "no memory";
    chosen("model", true, "no memory");
    model_fails = NULL;
    check_model(chosen("model", true, NULL));
}

/* The timing model of the bench that asks for one holds for that bench alone. */
static void test_model_of_a_timing(void)
{
    const struct block_volume *it;

    fresh(1);
    chosen(NULL, true, NULL);
    CHECK_TEXT(kept->name, BLOCK_MODEL_DEFAULT);
    CHECK_TEXT(block_volume_like("hdd1996", &it), NULL);
    check_model(it);
    CHECK_TEXT(kept->name, "hdd1996");
    CHECK_TEXT(block_volume(&it), NULL);
    CHECK_TEXT(kept->name, BLOCK_MODEL_DEFAULT);
    CHECK_TEXT(block_volume_like("hdd1896", &it),
               "hdd1896: no such disk model; there are hdd1996,ssd2014,nvme,optane");
    fresh(1);
    add_partition(0, 512);
    chosen("disk0", true, NULL);
    CHECK_TEXT(block_volume_like("hdd1996", &it), NULL);
    check_partition(it, 0);
}

int main(void)
{
    RUN(test_exact_time_touches_no_device());
    RUN(test_a_borrowed_machine_keeps_its_devices());
    RUN(test_the_first_disk_with_a_partition());
    RUN(test_no_partition_anywhere());
    RUN(test_a_disk_by_name());
    RUN(test_what_cannot_be_used());
    RUN(test_model_without_memory());
    RUN(test_model_of_a_timing());
    return unit_finish("unit_use");
}
