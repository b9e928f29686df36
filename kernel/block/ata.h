/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes what ATA devices report about themselves (ATA/ATAPI Command Set 3, ACS-3). Every value is
 * checked. Accesses no hardware.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ATA_PAGE        512 /* bytes of the data of IDENTIFY DEVICE, and of a page of a log */
#define ATA_BLOCKS_MAX  (1ull << 48)
#define ATA_DEPTH_MAX   32
#define ATA_LOG_QUEUE   0x10 /* the log "NCQ Command Error" (ACS-3 section 9.13) */
#define ATA_STATUS_BUSY 0x80
#define ATA_STATUS_DATA 0x08 /* DRQ */
#define ATA_STATUS_BAD  0x01 /* ERR */
#define ATA_BAD_DATA    0x40 /* UNC, in the error register: the data cannot be read */

struct ata_identity {
    uint64_t blocks;
    uint32_t block_bytes; /* 512 or 4096 */
    uint32_t depth;       /* most queued commands; 1: the device cannot queue */
};

/* Decodes the data of IDENTIFY DEVICE (ACS-3 section 7.12). Returns NULL on success, otherwise why
 * blocks of this device cannot be read. */
const char *ata_identify(const uint8_t data[ATA_PAGE], struct ata_identity *identity);

struct ata_queue_error {
    uint32_t tag; /* tag of the queued command that failed */
    uint8_t status;
    uint8_t error;
};

/* Decodes page 0 of ATA_LOG_QUEUE. Returns false if its checksum is wrong or no queued command
 * failed. */
bool ata_queue_error(const uint8_t page[ATA_PAGE], struct ata_queue_error *found);
