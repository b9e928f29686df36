/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/ata.h"
#include "kernel/plan/bytes.h"

#include <stddef.h>

/* Numbers of words in the data of IDENTIFY DEVICE. */
#define CONFIGURATION   0
#define CAPABILITIES    49
#define ADDITIONAL      69
#define QUEUE_DEPTH     75
#define SERIAL_ATA      76
#define COMMANDS        83
#define BLOCKS          100 /* 4 words */
#define SECTOR_SIZE     106
#define SECTOR_WORDS    117 /* 2 words */
#define EXTENDED_BLOCKS 230 /* 4 words */
#define INTEGRITY       255

#define NOT_ATA             0x8000u
#define HAS_LBA             0x0200u
#define HAS_DMA             0x0100u
#define HAS_EXTENDED_BLOCKS 0x0008u
#define HAS_48_BITS         0x0400u
#define HAS_LONG_SECTORS    0x1000u
#define HAS_QUEUE           0x0100u
#define DEPTH               0x001fu
#define VALID               0xc000u /* a word that may be absent has 01 in these bits if valid */
#define IS_VALID            0x4000u
#define NO_WORD             0xffffu
#define HAS_CHECKSUM        0xa5u

/* Offsets in the log, in bytes. */
#define LOG_TAG    0
#define LOG_STATUS 2
#define LOG_ERROR  3
#define NOT_QUEUED 0x80u
#define TAG        0x1fu

static uint32_t word(const uint8_t *data, uint32_t number)
{
    return bytes_get16(data + 2 * number);
}

static uint64_t words(const uint8_t *data, uint32_t number, uint32_t count)
{
    uint64_t value = 0;

    while (count > 0) {
        count--;
        value = value << 16 | word(data, number + count);
    }
    return value;
}

static bool sums_to_zero(const uint8_t *page)
{
    uint8_t sum = 0;

    for (uint32_t i = 0; i < ATA_PAGE; i++) {
        sum = (uint8_t)(sum + page[i]);
    }
    return sum == 0;
}

static bool has(const uint8_t *data, uint32_t number, uint32_t bit)
{
    const uint32_t value = word(data, number);

    return (value & VALID) == IS_VALID && (value & bit) != 0;
}

/* Disks beyond 2^32 blocks may report a smaller number in the older field. */
static uint64_t blocks_of(const uint8_t *data)
{
    const uint64_t blocks = words(data, BLOCKS, 4);
    const uint64_t extended =
        (word(data, ADDITIONAL) & HAS_EXTENDED_BLOCKS) != 0 ? words(data, EXTENDED_BLOCKS, 4) : 0;

    return extended > blocks ? extended : blocks;
}

static uint32_t depth_of(const uint8_t *data)
{
    const uint32_t serial = word(data, SERIAL_ATA);
    const bool queues = serial != NO_WORD && (serial & HAS_QUEUE) != 0;

    return queues ? (word(data, QUEUE_DEPTH) & DEPTH) + 1 : 1;
}

const char *ata_identify(const uint8_t data[ATA_PAGE], struct ata_identity *identity)
{
    const uint32_t needed = HAS_LBA | HAS_DMA;

    if ((word(data, INTEGRITY) & 0xff) == HAS_CHECKSUM && !sums_to_zero(data)) {
        return "its IDENTIFY DEVICE data have a wrong checksum";
    }
    if ((word(data, CONFIGURATION) & NOT_ATA) != 0) {
        return "not an ATA device";
    }
    if ((word(data, CAPABILITIES) & needed) != needed || !has(data, COMMANDS, HAS_48_BITS)) {
        return "it does not support READ DMA EXT";
    }
    const uint64_t sector =
        has(data, SECTOR_SIZE, HAS_LONG_SECTORS) ? 2 * words(data, SECTOR_WORDS, 2) : 512;

    if (sector != 512 && sector != 4096) {
        return "its sectors have neither 512 nor 4096 bytes";
    }
    identity->blocks = blocks_of(data);
    if (identity->blocks == 0 || identity->blocks > ATA_BLOCKS_MAX) {
        return "it reports no valid size";
    }
    identity->block_bytes = (uint32_t)sector;
    identity->depth = depth_of(data);
    return NULL;
}

bool ata_queue_error(const uint8_t page[ATA_PAGE], struct ata_queue_error *found)
{
    if (!sums_to_zero(page) || (page[LOG_TAG] & NOT_QUEUED) != 0 ||
        (page[LOG_STATUS] & ATA_STATUS_BAD) == 0) {
        return false;
    }
    found->tag = page[LOG_TAG] & TAG;
    found->status = page[LOG_STATUS];
    found->error = page[LOG_ERROR];
    return true;
}
