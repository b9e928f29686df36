/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What tare's partition of a disk looks like, so that every sector that is read can be checked: the
 * host writes it (tools/build), the modelled disk has it in memory, and the kernel reads it.
 *
 * Sector 0 is the directory: the files of this partition, each one run of sectors, a multiple of
 * LAYOUT_ALIGN, from a multiple of it on, in this order and without overlap:
 *
 *     0    8 bytes    "tarefile"
 *     8    4 bytes    1, the version of this layout
 *     12   4 bytes    files, 1 to LAYOUT_FILES_MAX
 *     16   8 bytes    sectors of the partition
 *     24   32 bytes a file: name (16, zeroes behind it), first sector (8), sectors (8); zeroes
 *          behind the last
 *     508  4 bytes    CRC-32C of the 508 bytes before
 *
 * Every sector of a file, by its number n in the file:
 *
 *     0    8 bytes    n
 *     8    8 bytes    the file's number in the directory, from 1 on
 *     16   492 bytes  words of 4 bytes, word k = low half of k * 0x9e3779b9, from k = 0 on
 *     508  4 bytes    CRC-32C of the 508 bytes before
 *
 * Sectors differ in number and checksum alone, so that an image of the partition packs well; a
 * sector of two halves fails its checksum.
 *
 * All little endian, in sectors of 512 bytes whatever the disk's blocks are. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAYOUT_SECTOR    512
#define LAYOUT_ALIGN     8 /* sectors: a block of 4 KiB */
#define LAYOUT_FILES_MAX 15
#define LAYOUT_NAME_MAX  16 /* a zero behind it */

#define LAYOUT_BENCH  "BENCH.DAT"
#define LAYOUT_DOC    "DOC.DAT"
#define LAYOUT_SLIDES "SLIDES.DAT"

/* Of a GPT partition; as in text 7A7E0001-7461-7265-8000-6469736B7265. */
#define LAYOUT_PARTITION_TYPE                                                                     \
    {                                                                                             \
        0x01, 0x00, 0x7e, 0x7a, 0x61, 0x74, 0x65, 0x72, 0x80, 0x00, 0x64, 0x69, 0x73, 0x6b, 0x72, \
            0x65                                                                                  \
    }
#define LAYOUT_PARTITION_TYPE_TEXT "7A7E0001-7461-7265-8000-6469736B7265"

struct layout_file {
    char name[LAYOUT_NAME_MAX];
    uint64_t first; /* sector, from the partition's begin */
    uint64_t sectors;
};

struct layout {
    size_t count;
    struct layout_file files[LAYOUT_FILES_MAX];
    uint64_t sectors; /* of the whole partition */
};

#define LAYOUT_DOC_SECTORS    2048 /* 1 MiB */
#define LAYOUT_SLIDES_SECTORS 8192 /* 4 MiB */

/* A partition with BENCH.DAT of so many sectors (cut to a multiple of LAYOUT_ALIGN, at least that),
 * and with `documents` DOC.DAT and SLIDES.DAT behind it. */
void layout_plan(struct layout *layout, uint64_t bench_sectors, bool documents);

/* Any sector of the partition; those between files are zeroes. */
void layout_sector(const struct layout *layout, uint64_t sector, uint8_t out[LAYOUT_SECTOR]);
/* Any bytes of the partition, from `offset` on. */
void layout_bytes(const struct layout *layout, uint64_t offset, uint8_t *to, size_t length);

/* Reads a directory, of which nothing is believed. NULL, or what is wrong with it. `sectors` is
 * the size of the partition. */
const char *layout_read(const uint8_t directory[LAYOUT_SECTOR], uint64_t sectors,
                        struct layout *layout);

/* NULL: there is none of that name. */
const struct layout_file *layout_find(const struct layout *layout, const char *name);
/* Is this sector `n` of the file with this number (from 1 on)? */
bool layout_check(const uint8_t sector[LAYOUT_SECTOR], uint64_t file, uint64_t n);
