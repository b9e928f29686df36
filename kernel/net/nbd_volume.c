/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net/nbd_volume.h"

#include "kernel/block/layout.h"
#include "kernel/block/use.h"

#define SECTORS_PER_MIB 2048

static bool read(void *argument, uint64_t offset, uint8_t *to, uint32_t length)
{
    layout_bytes(argument, offset, to, length);
    return true;
}

const struct nbd_export *nbd_volume_export(void)
{
    static struct layout layout;
    static struct nbd_export export = {.name = LAYOUT_BENCH, .read = read, .argument = &layout};

    layout_plan(&layout, block_settings()->mib * SECTORS_PER_MIB, true);
    export.bytes = layout.sectors * LAYOUT_SECTOR;
    return &export;
}
