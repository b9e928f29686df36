/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A remote file as a disk: "nbd0", driver "nbd", the client of a server of NBD (kernel/net/nbd.h)
 * at the other end of the path (net.h). It is none of the machine's disks (block_disk_at()): there
 * is one while somebody has connected it.
 */
#pragma once

#include <stdbool.h>

#include "kernel/block/use.h"

/* Connects to the export `name` at SERVICE_NBD of net_other(), between net_begin() and net_end().
 * NULL, or why not, which holds until the next call. */
const char *nbd_disk_begin(const char *name);
/* What is read of it: the export is a volume with the directory of layout.h, or a disk with a
 * partition of it. NULL, or why nothing is, with the cure. The disk is closed. */
const char *nbd_disk_volume(struct block_volume *volume);
/* Before net_end(); the disk is closed. */
void nbd_disk_end(void);
/* Closes what a bench that was ended in the middle left open: after its session. */
void nbd_disk_abandon(void);
