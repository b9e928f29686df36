/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this machine serves by NBD: the volume that the modelled disk has, with BENCH.DAT of
 * disk.mib MiB (kernel/block/layout.h). Its bytes are made when they are read.
 */
#pragma once

#include "kernel/net/nbd_server.h"

const struct nbd_export *nbd_volume_export(void);
