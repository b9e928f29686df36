/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a peer serves by NBD, as export BENCH.DAT: a file of the host, such as `tare disk` writes,
 * or a volume with BENCH.DAT that is made as it is read (kernel/block/layout.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/block/layout.h"
#include "kernel/net/nbd_server.h"

#define REMOTE_FILE_MIB 64 /* of BENCH.DAT that is made: as tare disk makes it */

struct remote_file {
    int file; /* -1: none */
    struct layout layout;
    struct nbd_export export;
};

/* `path` NULL: the volume that is made. False: why not is in `error`. It stays where it is. */
bool remote_file_open(struct remote_file *remote, const char *path, char *error, size_t size);
void remote_file_close(struct remote_file *remote);
