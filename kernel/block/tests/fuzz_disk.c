/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: what disks report about themselves. The first byte chooses what the rest is: an odd
 * one makes an ATA page's checksum right.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/block/ata.h"
#include "kernel/block/sd_card.h"
#include "tools/tests/support/demand.h"

#define CHOICE_SEALED 1
#define CHOICE_CARD   2

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void seal_page(uint8_t page[ATA_PAGE])
{
    uint8_t sum = 0;

    for (size_t i = 0; i < ATA_PAGE - 1; i++) {
        sum = (uint8_t)(sum + page[i]);
    }
    page[ATA_PAGE - 1] = (uint8_t)-sum;
}

static void check_ata(const uint8_t page[ATA_PAGE])
{
    struct ata_identity identity;
    struct ata_queue_error error;

    if (ata_identify(page, &identity) == NULL) {
        demand(identity.blocks > 0 && identity.blocks <= ATA_BLOCKS_MAX);
        demand(identity.block_bytes == 512 || identity.block_bytes == 4096);
        demand(identity.depth >= 1 && identity.depth <= ATA_DEPTH_MAX);
    }
    if (ata_queue_error(page, &error)) {
        demand(error.tag < ATA_DEPTH_MAX && (error.status & ATA_STATUS_BAD) != 0);
    }
}

static void check_card(const uint8_t *data)
{
    uint32_t response[4];
    uint64_t blocks;

    memcpy(response, data, sizeof(response));
    if (sd_blocks(response, &blocks) == NULL) {
        demand(blocks > 0 && blocks <= 1ull << 32);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t page[ATA_PAGE];

    if (size == 0) {
        return 0;
    }
    memset(page, 0, sizeof(page));
    memcpy(page, data + 1, size - 1 < sizeof(page) ? size - 1 : sizeof(page));
    if ((data[0] & CHOICE_SEALED) != 0) {
        seal_page(page);
    }
    if ((data[0] & CHOICE_CARD) != 0) {
        check_card(page);
    } else {
        check_ata(page);
    }
    return 0;
}
