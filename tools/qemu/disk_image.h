/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes disk images: a GUID partition table (UEFI 2.10 section 5.3) with an EFI system partition,
 * if one is given, and tare's partition (kernel/block/layout.h), both at multiples of 1 MiB. The
 * same input gives the same bytes. Zeros become holes of the file.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DISK_IMAGE_ERROR_MAX 256
#define DISK_IMAGE_MIB_MAX   4096
/* UEFI 2.10 table 5-1 */
#define DISK_IMAGE_BOOT_CODE_MAX 440

struct disk_image {
    uint64_t bench_mib;   /* size of BENCH.DAT, up to DISK_IMAGE_MIB_MAX; 0: no tare partition */
    bool documents;       /* also write DOC.DAT and SLIDES.DAT */
    uint32_t block_bytes; /* block size of the target disk: 512 or 4096 */
    int esp; /* open file with the file system of the first partition; negative: none */
    /* Code that a legacy BIOS starts, in front of the old partition table; all zeros: none. */
    uint8_t boot_code[DISK_IMAGE_BOOT_CODE_MAX];
};

/* Writes the image to an empty file. Returns false with one line in `error` on failure. */
bool disk_image_write(int file, const struct disk_image *image, char error[DISK_IMAGE_ERROR_MAX]);
