/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modelled disk: memory with the contents of layout.h, and the times of a service law. It is
 * busy as long as the law has it, from the submission of each read on, and finishes it then by a
 * timer (kernel/task/timer.h) or when it is polled.
 *
 * Times of the law are ns from the disk's opening; a request's stamps `began` and `due` are these
 * in ticks, rounded down. It copies the data when it is given a request, while its law goes on, so
 * that as with a device that writes memory itself nothing of it lies behind `due`.
 */
#pragma once

#include <stdint.h>

#include "kernel/block/block.h"
#include "kernel/block/layout.h"
#include "kernel/block/service_law.h"

#define MODELLED_DISK "model"

/* The disk, added when this is first called, with BENCH.DAT of `mib` MiB and the documents: what it
 * is then, it stays. NULL: there are too many disks. */
struct block_disk *modelled_disk(const struct service_law *law, uint64_t mib);

/* Takes its memory and fills it, once; opening does the same. NULL, or why it could not. */
const char *modelled_disk_fill(void);

/* Reads of at most 4 KiB, of the whole run, whose copy ended only behind `due`: this processor
 * copies slower than the law reads, and their interrupt came as late. */
uint64_t modelled_disk_late(void);

const struct layout *modelled_disk_layout(void);
/* The law that it keeps, and another one from its next opening on. */
const struct service_law *modelled_disk_law(void);
void modelled_disk_keep(const struct service_law *law);
