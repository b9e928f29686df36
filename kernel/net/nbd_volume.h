/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The volume that this machine serves by NBD: the same as that of the modelled disk, with a
 * BENCH.DAT of disk.mib MiB (kernel/block/layout.h). Its bytes are generated when they are read.
 */
#pragma once

#include "kernel/net/nbd_server.h"

const struct nbd_export *nbd_volume_export(void);
