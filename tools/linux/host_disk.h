/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that benches of disks read under Linux: past the page cache (O_DIRECT) and through it.
 * Nothing is ever written to it.
 *
 * Where it is an image of a disk with tare's partition, such a partition, or BENCH.DAT alone
 * (kernel/block/layout.h), BENCH.DAT is read, and every sector is checked. All else is read as a
 * whole, unchecked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/linux/host_machine.h"

#define HOST_DISK_PAGE    4096          /* of the page cache */
#define HOST_DISK_LEAST   (64 * 1024)   /* bytes that a file must have */
#define HOST_DISK_LARGEST (1024 * 1024) /* bytes of one read */

struct host_disk {
    const char *path;
    int past_cache, through_cache; /* open, to read alone */
    uint64_t first;                /* byte of the file where BENCH.DAT begins */
    uint64_t bytes;                /* a multiple of HOST_DISK_PAGE */
    uint32_t block;                /* bytes that reads past the cache are multiples of */
    uint64_t number;               /* of BENCH.DAT in its directory; 0: sectors cannot be checked */
    uint64_t checked, wrong;       /* sectors, since host_disk_begin() */
};

/* Opens it, for all benches. False, with the reason and the cure. `path` lives for ever. */
bool host_disk_open(const char *path, char error[HOST_ERROR_MAX]);
/* NULL: none is open. */
struct host_disk *host_disk(void);

/* Forgets what was checked. */
void host_disk_begin(struct host_disk *disk);
/* Reads from that byte of BENCH.DAT on. NULL, or why it could not be read. */
const char *host_disk_read(const struct host_disk *disk, bool cached, uint64_t at, uint64_t bytes,
                           void *to);
/* What was read from there on: are all its sectors what they ought to be? Counts. */
void host_disk_check(struct host_disk *disk, uint64_t at, uint64_t bytes, const uint8_t *read);
/* Lets Linux forget the file's pages. */
void host_disk_drop(const struct host_disk *disk);
