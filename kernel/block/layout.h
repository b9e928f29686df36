/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Layout of tare's partition on a disk, in which every sector that is read can be checked. The host
 * writes it (tare disk), the modelled disk holds it in memory, and the kernel reads it.
 *
 * Sector 0 is the directory of the files. Each file is one run of sectors. Its first sector and its
 * number of sectors are multiples of LAYOUT_ALIGN. The files lie in the order of the directory and
 * do not overlap. The directory is:
 *
 *     0    8 bytes    "tarefile"
 *     8    4 bytes    1, the version of this layout
 *     12   4 bytes    number of files, 1 to LAYOUT_FILES_MAX
 *     16   8 bytes    sectors of the partition
 *     24   32 bytes   per file: name (16), first sector (8), sectors (8); zeroes after the last
 *     508  4 bytes    CRC-32C of the 508 bytes before
 *
 * Every sector of a file, n being its number in the file:
 *
 *     0    8 bytes    n
 *     8    8 bytes    the file's number in the directory, from 1 on
 *     16   492 bytes  words of 4 bytes, word k = low half of k * 0x9e3779b9, from k = 0 on
 *     508  4 bytes    CRC-32C of the 508 bytes before
 *
 * Names are filled up with zeroes. Sectors differ only in their numbers and checksum, so that an
 * image of the partition compresses well. A sector mixed from two others fails its checksum.
 *
 * All numbers are little endian. Sectors have 512 bytes, whatever the disk's block size. Accesses
 * no hardware: image, host and tests share it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAYOUT_SECTOR    512
#define LAYOUT_ALIGN     8 /* in sectors: a block of 4 KiB */
#define LAYOUT_FILES_MAX 15
#define LAYOUT_NAME_MAX  16 /* including the terminating zero */

#define LAYOUT_BENCH  "BENCH.DAT"
#define LAYOUT_DOC    "DOC.DAT"
#define LAYOUT_SLIDES "SLIDES.DAT"

/* Type GUID of the GPT partition; in text form 7A7E0001-7461-7265-8000-6469736B7265. */
#define LAYOUT_PARTITION_TYPE                                                                     \
    {                                                                                             \
        0x01, 0x00, 0x7e, 0x7a, 0x61, 0x74, 0x65, 0x72, 0x80, 0x00, 0x64, 0x69, 0x73, 0x6b, 0x72, \
            0x65                                                                                  \
    }
#define LAYOUT_PARTITION_TYPE_TEXT "7A7E0001-7461-7265-8000-6469736B7265"

struct layout_file {
    char name[LAYOUT_NAME_MAX];
    uint64_t first; /* sector, counted from the start of the partition */
    uint64_t sectors;
};

struct layout {
    size_t count;
    struct layout_file files[LAYOUT_FILES_MAX];
    uint64_t sectors; /* of the whole partition */
};

#define LAYOUT_DOC_SECTORS    2048 /* 1 MiB */
#define LAYOUT_SLIDES_SECTORS 8192 /* 4 MiB */

/* Plans a partition with a BENCH.DAT of `bench_sectors` (rounded down to a multiple of
 * LAYOUT_ALIGN, but at least one). With `documents`, DOC.DAT and SLIDES.DAT follow it. */
void layout_plan(struct layout *layout, uint64_t bench_sectors, bool documents);

/* Writes the contents of any sector of the partition. Sectors between files are zeroes. */
void layout_sector(const struct layout *layout, uint64_t sector, uint8_t out[LAYOUT_SECTOR]);
/* Writes any bytes of the partition, from `offset` on. */
void layout_bytes(const struct layout *layout, uint64_t offset, uint8_t *to, size_t length);

/* Reads and checks a directory. `sectors` is the size of the partition. Returns NULL on success,
 * otherwise what is wrong with the directory. */
const char *layout_read(const uint8_t directory[LAYOUT_SECTOR], uint64_t sectors,
                        struct layout *layout);

/* Returns the file of that name, or NULL if there is none. */
const struct layout_file *layout_find(const struct layout *layout, const char *name);
/* Returns true if this is the correct sector `n` of the file with number `file` (from 1 on). */
bool layout_check(const uint8_t sector[LAYOUT_SECTOR], uint64_t file, uint64_t n);
