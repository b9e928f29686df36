/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Remote files: a server of NBD (nbd.h) over lwIP's raw API. It has one export, which cannot be
 * written. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/net/services.h"

#define NBD_CLIENTS_MAX 4 /* at once; one more is sent away */

struct nbd_export {
    const char *name; /* "BENCH.DAT" */
    uint64_t bytes;
    /* `length` bytes from `offset` on, which are in it. False: they cannot be read. */
    bool (*read)(void *argument, uint64_t offset, uint8_t *to, uint32_t length);
    void *argument;
};

struct nbd_served {
    uint64_t connections;
    uint64_t reads; /* answered with their bytes */
    uint64_t bytes;
    uint64_t refused; /* connections that were ended for what they sent, and reads that failed */
};

/* After stack_begin(): listens at port SERVICE_NBD of all addresses of this stack. The export lives
 * as long as the stack. False: no memory. */
bool nbd_serve(const struct nbd_export *export);
const struct nbd_served *nbd_served(void);
