/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modelled disk: a disk in memory, with the contents of layout.h and the timing of a model
 * (disk_timing.h). The model sets when each read is done, from the time of its submission. The read
 * completes then by a timer (kernel/task/timer.h), or when the disk is polled.
 *
 * The model counts in ns from the opening of the disk. The stamps `began` and `due` of a request
 * are these times in ticks, rounded down. The data are copied during the submission, while the
 * modelled service time runs. So no copying remains after `due`, as with a device that writes to
 * memory itself.
 */
#pragma once

#include <stdint.h>

#include "kernel/block/block.h"
#include "kernel/block/disk_timing.h"
#include "kernel/block/layout.h"
#include "kernel/link/names.h"

/* Returns the disk. The first call adds it, with a BENCH.DAT of `mib` MiB and the documents; later
 * calls ignore their arguments. Returns NULL if there are too many disks. */
struct block_disk *modelled_disk(const struct disk_timing *timing, uint64_t mib);

/* Allocates and fills the disk's memory, once. Opening the disk does the same. Returns NULL on
 * success, otherwise the reason. */
const char *modelled_disk_fill(void);

/* Returns how many reads of at most 4 KiB, in the whole run, were copied only after `due`. In such
 * a read this processor copied more slowly than the modelled disk reads, so the completion was
 * late. */
uint64_t modelled_disk_late(void);

const struct layout *modelled_disk_layout(void);
/* Returns the timing model in use. modelled_disk_keep() sets the one to use from the next opening
 * on. */
const struct disk_timing *modelled_disk_timing(void);
void modelled_disk_keep(const struct disk_timing *timing);
