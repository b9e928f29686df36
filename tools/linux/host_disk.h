/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that the disk benches read under Linux: directly (O_DIRECT) and through the page cache.
 * Nothing is ever written to it.
 *
 * If the file is a disk image with tare's partition, such a partition, or BENCH.DAT alone
 * (kernel/block/layout.h), BENCH.DAT is read and every sector is checked. Any other file is read as
 * a whole, unchecked.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/linux/host_machine.h"

#define HOST_DISK_PAGE    4096          /* size of a page of the page cache in bytes */
#define HOST_DISK_LEAST   (64 * 1024)   /* least size of a file in bytes */
#define HOST_DISK_LARGEST (1024 * 1024) /* largest read in bytes */

struct host_disk {
    const char *path;
    int past_cache, through_cache; /* read-only descriptors */
    uint64_t first;                /* offset of BENCH.DAT in the file */
    /* size of BENCH.DAT or of the file, a multiple of HOST_DISK_PAGE */
    uint64_t bytes;
    uint32_t block; /* direct reads (O_DIRECT) must be multiples of this, in bytes */
    /* number of BENCH.DAT in its directory; 0: sectors cannot be checked */
    uint64_t number;
    uint64_t checked, wrong; /* sectors since host_disk_begin() */
};

/* Opens the file for all benches. Returns false, with the reason and the cure, on failure. `path`
 * must stay valid. */
bool host_disk_open(const char *path, char error[HOST_ERROR_MAX]);
/* Returns the open file, or NULL if none is open. */
struct host_disk *host_disk(void);

/* Resets the counts of checked sectors. */
void host_disk_begin(struct host_disk *disk);
/* Reads from byte `at` of BENCH.DAT. Returns NULL, or the reason why it could not be read. */
const char *host_disk_read(const struct host_disk *disk, bool cached, uint64_t at, uint64_t bytes,
                           void *to);
/* Checks the sectors read from byte `at` on, and counts the checked and the wrong ones. */
void host_disk_check(struct host_disk *disk, uint64_t at, uint64_t bytes, const uint8_t *read);
/* Makes Linux drop the file's pages from its cache. */
void host_disk_drop(const struct host_disk *disk);
