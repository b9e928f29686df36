/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides which disk is read, and which part of it: disk.use of the plan.
 *
 * If the plan names no disk, only tare's own partitions (layout.h) may be read, on any disk, and
 * the partition tables (GPT) that list them. If the plan names a disk, all of it may be read; but
 * if it has such a partition, only that partition is read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/block/block.h"
#include "kernel/block/layout.h"

#define BLOCK_MODEL_DEFAULT "ssd2014"
#define BLOCK_MIB_DEFAULT   16

/* Keys of the plan. The texts belong to the plan. */
struct block_settings {
    const char *use;   /* disk.use: name of a disk, or "model"; NULL: not given */
    const char *model; /* disk.model: name of a timing model (disk_timing.h) */
    uint64_t mib;      /* disk.mib: size of BENCH.DAT on the modelled disk, in MiB */
    bool may_drive;    /* devices may be driven, because boot services have ended */
};
void block_use(const struct block_settings *settings);
const struct block_settings *block_settings(void);

/* Finds all disks of the machine when it is first called. Returns their number, for
 * block_disk_at(). If devices may not be driven, only the modelled disk exists. Call with
 * interrupts off, outside sessions. */
size_t block_disks(void);

/* The part of a disk that a bench reads. */
struct block_volume {
    struct block_disk *disk;
    uint64_t first_sector; /* on the disk, in units of 512 bytes */
    uint64_t sectors;
    bool verified;        /* it has a directory, so that every sector can be checked */
    struct layout layout; /* valid if `verified` */
};

/* Gets the volume that the plan selects: on the disk of disk.use; without disk.use, on the modelled
 * disk in exact time, and otherwise on the first real disk with a tare partition, or on the
 * modelled disk if there is none. Returns NULL on success, otherwise the reason and the cure. The
 * choice is made once. If the modelled disk could not get memory, the next call tries again. Call
 * outside sessions. */
const char *block_volume(const struct block_volume **volume);
/* Gets a volume for a bench that needs a certain model of disk (disk_timing.h), whatever disk.model
 * is: the modelled disk with that timing model, until block_volume() is called again. If disk.use
 * names a real disk, gets that one instead. */
const char *block_volume_like(const char *model, const struct block_volume **volume);
/* Gets the part of one disk that may be read, whether or not the plan selects it. Returns NULL on
 * success, otherwise the reason, which is valid until the next call. Call outside sessions. */
const char *block_volume_of(struct block_disk *disk, struct block_volume *volume);
