/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which disk is read, and what of it: disk.use of the plan.
 *
 * Where the plan names none, only partitions of our own type (layout.h) may be read, wherever they
 * are, and the tables of partitions (GPT) that list them. A disk that the plan names may be read as
 * a whole; where it has such a partition, that alone is read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/block/block.h"
#include "kernel/block/layout.h"

#define BLOCK_MODEL_DEFAULT "ssd2014"
#define BLOCK_MIB_DEFAULT   16

/* Keys of the plan; texts stay the plan's. */
struct block_settings {
    const char *use;   /* disk.use: a disk's name; "model"; NULL: not given */
    const char *model; /* disk.model: name of a law (service_law.h) */
    uint64_t mib;      /* disk.mib: of BENCH.DAT on the modelled disk */
    bool may_drive;    /* devices are ours: boot services are gone */
};
void block_use(const struct block_settings *settings);
const struct block_settings *block_settings(void);

/* All disks of the machine, found when this is first called: how many block_disk_at() has. Where
 * devices are not ours it is the modelled disk alone. Interrupts off, no session. */
size_t block_disks(void);

/* Where a bench reads. */
struct block_volume {
    struct block_disk *disk;
    uint64_t first_sector; /* of the disk, in units of 512 bytes */
    uint64_t sectors;
    bool verified;        /* it has a directory, so that every sector can be checked */
    struct layout layout; /* where it is verified */
};

/* The volume that the plan chooses: its disk; without disk.use the modelled disk in exact time, and
 * in all other time the first real one with a partition of ours, else the modelled disk. NULL, or
 * why there is none, with the cure. Found once; a modelled disk whose memory is missing asks for it
 * again at the next call. No session. */
const char *block_volume(const struct block_volume **volume);
/* The same for a bench that needs a disk of a certain model (service_law.h), whatever disk.model
 * has: the modelled disk with that law, until block_volume() is called again. A real one only where
 * disk.use names it. */
const char *block_volume_like(const char *model, const struct block_volume **volume);
/* What may be read of one disk, whether or not it is the chosen one. NULL, or why nothing may be,
 * which holds until the next call. No session. */
const char *block_volume_of(struct block_disk *disk, struct block_volume *volume);
