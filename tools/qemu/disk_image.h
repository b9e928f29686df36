/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Images of disks: a GUID partition table (UEFI 2.10 section 5.3) with an EFI system partition, if
 * one is given, and tare's partition (kernel/block/layout.h), both at multiples of 1 MiB. The same
 * input gives the same bytes. What is zero is left as a hole of the file.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DISK_IMAGE_ERROR_MAX 256
#define DISK_IMAGE_MIB_MAX   4096
/* UEFI 2.10 table 5-1 */
#define DISK_IMAGE_BOOT_CODE_MAX 440

struct disk_image {
    uint64_t bench_mib;   /* of BENCH.DAT, up to DISK_IMAGE_MIB_MAX; 0: no partition of tare's */
    bool documents;       /* DOC.DAT and SLIDES.DAT as well */
    uint32_t block_bytes; /* of the disk that it is for: 512 or 4096 */
    int esp; /* an open file with the file system of the first partition; below 0: none */
    /* What a legacy BIOS starts, in front of the old partition table; none: zeros. */
    uint8_t boot_code[DISK_IMAGE_BOOT_CODE_MAX];
};

/* Writes it to an empty file. False with one line in `error`. */
bool disk_image_write(int file, const struct disk_image *image, char error[DISK_IMAGE_ERROR_MAX]);
