/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/disk_image.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/block/gpt.h"
#include "kernel/block/layout.h"
#include "kernel/plan/bytes.h"

#define MIB (UINT64_C(1) << 20)

#define PARTITIONS_MAX 2
/* As every tool makes it: 128 entries of 128 bytes, however many are used. */
#define ENTRIES       128
#define ENTRY_BYTES   128
#define TABLE_BYTES   (ENTRIES * ENTRY_BYTES)
#define HEADER_BYTES  92
#define NAME_OFFSET   56
#define REVISION      0x00010000u
#define MBR_ENTRY     446
#define MBR_TYPE_GPT  0xee
#define MBR_SIGNATURE 0xaa55u

/* size of the pieces in which sectors are written */
#define PIECE_BYTES (64u << 10)

static const uint8_t type_esp[16] = {0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11,
                                     0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b};
static const uint8_t type_tare[16] = LAYOUT_PARTITION_TYPE;

struct partition {
    const uint8_t *type;
    const char *name;
    uint8_t number;
    uint64_t begin; /* offset in bytes */
    uint64_t bytes;
};

struct writing {
    int file;
    const struct disk_image *image;
    char *error;
    struct layout layout;
    uint64_t esp_bytes;
    size_t count;
    struct partition partitions[PARTITIONS_MAX];
    uint64_t blocks; /* blocks of the whole disk */
};

/* ---- bytes ---- */

static bool fails(const struct writing *writing, const char *what)
{
    snprintf(writing->error, DISK_IMAGE_ERROR_MAX, "%s: %s", what, strerror(errno));
    return false;
}

static bool is_zero(const uint8_t *bytes, size_t length)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, length - 1) == 0;
}

static bool write_at(const struct writing *writing, uint64_t offset, const uint8_t *bytes,
                     size_t length)
{
    if (is_zero(bytes, length)) {
        return true;
    }
    for (size_t done = 0; done < length;) {
        const ssize_t got =
            pwrite(writing->file, bytes + done, length - done, (off_t)(offset + done));

        if (got < 0 && errno != EINTR) {
            return fails(writing, "cannot write the image");
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* ---- partitions ---- */

static uint64_t whole_mib(uint64_t bytes)
{
    return (bytes + MIB - 1) / MIB * MIB;
}

static void add(struct writing *writing, const uint8_t *type, const char *name, uint8_t number,
                uint64_t bytes)
{
    const struct partition *last = &writing->partitions[writing->count - 1];
    const uint64_t begin = writing->count == 0 ? MIB : last->begin + whole_mib(last->bytes);

    writing->partitions[writing->count++] = (struct partition){type, name, number, begin, bytes};
}

/* Plans the partitions, and room for the second table after them. */
static bool plan(struct writing *writing)
{
    const struct disk_image *image = writing->image;
    uint64_t end = MIB;
    struct stat esp;

    if (image->esp >= 0) {
        if (fstat(image->esp, &esp) != 0) {
            return fails(writing, "cannot read the EFI system partition");
        }
        writing->esp_bytes = (uint64_t)esp.st_size;
        add(writing, type_esp, "tare", 1, whole_mib(writing->esp_bytes));
    }
    if (image->bench_mib != 0) {
        layout_plan(&writing->layout, image->bench_mib * MIB / LAYOUT_SECTOR, image->documents);
        add(writing, type_tare, "tare files", 2, writing->layout.sectors * LAYOUT_SECTOR);
    }
    for (size_t i = 0; i < writing->count; i++) {
        end = writing->partitions[i].begin + whole_mib(writing->partitions[i].bytes);
    }
    writing->blocks = (end + MIB) / image->block_bytes;
    if (ftruncate(writing->file, (off_t)(end + MIB)) != 0) {
        return fails(writing, "cannot set the size of the image");
    }
    return true;
}

/* ---- tables ---- */

/* Writes GUID 7A7E0000-0000-4000-8000-0000000000NN. */
static void put_guid(uint8_t *at, uint8_t number)
{
    bytes_put(at, 0x7a7e0000u, 4);
    bytes_put(at + 6, 0x4000, 2);
    at[8] = 0x80;
    at[15] = number;
}

static void put_entry(const struct writing *writing, uint8_t *entry,
                      const struct partition *partition)
{
    const uint32_t block = writing->image->block_bytes;

    memcpy(entry, partition->type, 16);
    put_guid(entry + 16, partition->number);
    bytes_put(entry + 32, partition->begin / block, 8);
    bytes_put(entry + 40, (partition->begin + partition->bytes) / block - 1, 8);
    for (size_t i = 0; partition->name[i] != '\0'; i++) {
        entry[NAME_OFFSET + 2 * i] = (uint8_t)partition->name[i];
    }
}

/* Writes the header at block `own`, whose table begins at block `table`. */
static bool write_header(const struct writing *writing, uint64_t own, uint64_t other,
                         uint64_t table, const uint8_t entries[TABLE_BYTES])
{
    const uint32_t block = writing->image->block_bytes;
    const uint64_t table_blocks = TABLE_BYTES / block;
    uint8_t header[HEADER_BYTES] = "EFI PART";

    bytes_put(header + 8, REVISION, 4);
    bytes_put(header + 12, HEADER_BYTES, 4);
    bytes_put(header + 24, own, 8);
    bytes_put(header + 32, other, 8);
    bytes_put(header + 40, 2 + table_blocks, 8);
    bytes_put(header + 48, writing->blocks - 2 - table_blocks, 8);
    put_guid(header + 56, 0);
    bytes_put(header + 72, table, 8);
    bytes_put(header + 80, ENTRIES, 4);
    bytes_put(header + 84, ENTRY_BYTES, 4);
    bytes_put(header + 88, gpt_crc32(entries, TABLE_BYTES), 4);
    bytes_put(header + 16, gpt_crc32(header, HEADER_BYTES), 4);
    return write_at(writing, table * block, entries, TABLE_BYTES) &&
           write_at(writing, own * block, header, HEADER_BYTES);
}

/* Writes the old partition table, which marks the whole disk as used (UEFI 2.10 section 5.2.3). */
static bool write_protective_mbr(const struct writing *writing)
{
    const uint64_t rest = writing->blocks - 1;
    uint8_t mbr[512] = {0};
    uint8_t *entry = mbr + MBR_ENTRY;

    memcpy(mbr, writing->image->boot_code, DISK_IMAGE_BOOT_CODE_MAX);
    bytes_put(entry + 1, 0x000200, 3);
    entry[4] = MBR_TYPE_GPT;
    bytes_put(entry + 5, 0xffffff, 3);
    bytes_put(entry + 8, 1, 4);
    bytes_put(entry + 12, rest < UINT32_MAX ? rest : UINT32_MAX, 4);
    bytes_put(mbr + 510, MBR_SIGNATURE, 2);
    return write_at(writing, 0, mbr, sizeof(mbr));
}

static bool write_tables(const struct writing *writing)
{
    const uint64_t last = writing->blocks - 1;
    const uint64_t table_blocks = TABLE_BYTES / writing->image->block_bytes;
    uint8_t entries[TABLE_BYTES] = {0};

    for (size_t i = 0; i < writing->count; i++) {
        put_entry(writing, entries + i * ENTRY_BYTES, &writing->partitions[i]);
    }
    return write_protective_mbr(writing) && write_header(writing, 1, last, 2, entries) &&
           write_header(writing, last, 1, last - table_blocks, entries);
}

/* ---- contents ---- */

static bool copy_esp(const struct writing *writing, const struct partition *partition)
{
    uint8_t piece[PIECE_BYTES];
    uint64_t at = 0;
    ssize_t got;

    while ((got = pread(writing->image->esp, piece, sizeof(piece), (off_t)at)) > 0) {
        if (!write_at(writing, partition->begin + at, piece, (size_t)got)) {
            return false;
        }
        at += (uint64_t)got;
    }
    return got == 0 || fails(writing, "cannot read the EFI system partition");
}

static bool write_files(const struct writing *writing, const struct partition *partition)
{
    uint8_t piece[PIECE_BYTES];
    uint64_t sector = 0;

    while (sector < writing->layout.sectors) {
        const uint64_t begin = partition->begin + sector * LAYOUT_SECTOR;
        size_t length = 0;

        while (length < sizeof(piece) && sector < writing->layout.sectors) {
            layout_sector(&writing->layout, sector++, piece + length);
            length += LAYOUT_SECTOR;
        }
        if (!write_at(writing, begin, piece, length)) {
            return false;
        }
    }
    return true;
}

static bool write_contents(const struct writing *writing)
{
    for (size_t i = 0; i < writing->count; i++) {
        const struct partition *partition = &writing->partitions[i];
        const bool good = partition->type == type_esp ? copy_esp(writing, partition)
                                                      : write_files(writing, partition);

        if (!good) {
            return false;
        }
    }
    return true;
}

bool disk_image_write(int file, const struct disk_image *image, char error[DISK_IMAGE_ERROR_MAX])
{
    struct writing writing = {.file = file, .image = image, .error = error};

    return plan(&writing) && write_tables(&writing) && write_contents(&writing);
}
