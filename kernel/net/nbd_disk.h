/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A remote file as a disk: "nbd0", driver "nbd", the client of an NBD server (kernel/net/nbd.h) at
 * the other end of the path (net.h). It is not one of the machine's disks (block_disk_at()), and
 * exists only while it is connected.
 */
#pragma once

#include "kernel/block/use.h"

/* Connects to the export `name` at port SERVICE_NBD of net_other(). Call between net_begin() and
 * net_end(). Returns NULL on success, otherwise the reason, which is valid until the next call. */
const char *nbd_disk_begin(const char *name);
/* Gets what may be read: the export is a volume with the directory of layout.h, or a disk with a
 * partition that is one. The disk must be closed. Returns NULL on success, otherwise the reason and
 * the cure. */
const char *nbd_disk_volume(struct block_volume *volume);
/* Disconnects. Call before net_end(); the disk must be closed. */
void nbd_disk_end(void);
/* Closes what an aborted bench left open. Call after its session. */
void nbd_disk_abandon(void);
