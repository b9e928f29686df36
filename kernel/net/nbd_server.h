/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An NBD server (nbd.h) over lwIP's raw API, for remote files. It has one export, which cannot be
 * written. Accesses no hardware.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/net/services.h"

#define NBD_CLIENTS_MAX 4 /* most clients at once; another one is rejected */

struct nbd_export {
    const char *name; /* "BENCH.DAT" */
    uint64_t bytes;
    /* Reads `length` bytes from `offset` on, which are within the export. Returns false if they
     * cannot be read. */
    bool (*read)(void *argument, uint64_t offset, uint8_t *to, uint32_t length);
    void *argument;
};

struct nbd_served {
    uint64_t connections;
    uint64_t reads; /* answered with their bytes */
    uint64_t bytes;
    uint64_t refused; /* connections closed because of an invalid request, plus reads that failed */
};

/* Listens at port SERVICE_NBD of all addresses of the stack. Call after stack_begin(). Keeps the
 * pointer `export` as long as the stack exists. Returns false if there is no memory. */
bool nbd_serve(const struct nbd_export *export);
const struct nbd_served *nbd_served(void);
