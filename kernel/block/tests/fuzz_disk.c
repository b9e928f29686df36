/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: what disks report about themselves. The first byte chooses what the rest is: an odd
 * one makes an ATA page's checksum right.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/block/ata.h"
#include "kernel/block/nvme_command.h"
#include "tools/tests/support/demand.h"

#define CHOICE_SEALED 1
#define CHOICE_NVME   4

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

static void check_nvme(const uint8_t page[NVME_PAGE])
{
    struct nvme_controller_facts controller;
    struct nvme_namespace_facts facts;
    uint32_t ids[2 * NVME_PAGE / sizeof(uint32_t)];
    const size_t count = nvme_read_ids(page, ids, sizeof(ids) / sizeof(ids[0]));

    demand(count <= NVME_PAGE / sizeof(uint32_t));
    for (size_t i = 0; i < count; i++) {
        demand(ids[i] != 0);
    }
    nvme_read_controller(page, &controller);
    demand(controller.bytes_max >= NVME_PAGE && controller.bytes_max <= NVME_BYTES_MAX);
    nvme_read_namespace(page, &facts);
    if (facts.unusable == NULL) {
        demand(facts.block_bytes == 512 || facts.block_bytes == 4096);
        demand(facts.blocks <= UINT64_MAX / facts.block_bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t page[NVME_PAGE]; /* the largest */

    if (size == 0) {
        return 0;
    }
    memset(page, 0, sizeof(page));
    memcpy(page, data + 1, size - 1 < sizeof(page) ? size - 1 : sizeof(page));
    if ((data[0] & CHOICE_SEALED) != 0) {
        seal_page(page);
    }
    if ((data[0] & CHOICE_NVME) != 0) {
        check_nvme(page);
    } else {
        check_ata(page);
    }
    return 0;
}
