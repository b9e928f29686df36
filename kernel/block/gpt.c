/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/gpt.h"

#include <string.h>

#include "kernel/plan/bytes.h"

/* Offsets in the header (table 5.5 of the specification). */
#define SIGNATURE        "EFI PART"
#define SIGNATURE_BYTES  8
#define REVISION_AT      8
#define REVISION_MAJOR   1
#define HEADER_BYTES_AT  12
#define HEADER_BYTES_MIN 92
#define HEADER_CRC_AT    16
#define OWN_BLOCK_AT     24
#define FIRST_USABLE_AT  40
#define LAST_USABLE_AT   48
#define ENTRIES_BLOCK_AT 72
#define ENTRY_COUNT_AT   80
#define ENTRY_BYTES_AT   84
#define ENTRIES_CRC_AT   88

/* Size of an entry, and offsets in it (table 5.6). */
#define ENTRY_BYTES_MIN 128
#define ENTRY_BYTES_MAX GPT_BLOCK_MAX
#define ENTRY_FIRST_AT  32
#define ENTRY_LAST_AT   40

#define PRIMARY_BLOCK 1

struct header {
    uint64_t first_usable;
    uint64_t last_usable;
    uint64_t entries_block;
    uint32_t entry_count;
    uint32_t entry_bytes;
    uint32_t entries_crc;
};

/* Returns the CRC of bytes that follow those of `crc`; 0 begins a new one. */
static uint32_t crc32(uint32_t crc, const uint8_t *bytes, size_t length)
{
    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1)));
        }
    }
    return ~crc;
}

uint32_t gpt_crc32(const void *bytes, size_t length)
{
    return crc32(0, bytes, length);
}

static bool checksum_holds(const uint8_t *block, uint32_t length)
{
    static const uint8_t zeroes[4];
    uint32_t crc = crc32(0, block, HEADER_CRC_AT);

    crc = crc32(crc, zeroes, sizeof(zeroes));
    crc = crc32(crc, block + HEADER_CRC_AT + 4, length - HEADER_CRC_AT - 4);
    return crc == bytes_get32(block + HEADER_CRC_AT);
}

static bool bounds_hold(const struct gpt_disk *disk, const struct header *header)
{
    const uint64_t bytes = (uint64_t)header->entry_count * header->entry_bytes;
    const uint64_t blocks = (bytes + disk->block_bytes - 1) / disk->block_bytes;
    const uint64_t at = header->entries_block;
    const uint32_t size = header->entry_bytes;

    return size >= ENTRY_BYTES_MIN && size <= ENTRY_BYTES_MAX && (size & (size - 1)) == 0 &&
           header->entry_count != 0 && header->entry_count <= GPT_ENTRIES_MAX && at > 0 &&
           at < disk->blocks && blocks <= disk->blocks - at &&
           header->first_usable <= header->last_usable && header->last_usable < disk->blocks;
}

/* Reads the header from the buffer, which holds block `own`. Returns false if the header is
 * damaged. */
static bool read_header(const struct gpt_disk *disk, uint64_t own, struct header *header)
{
    const uint8_t *block = disk->buffer;
    const uint32_t length = bytes_get32(block + HEADER_BYTES_AT);

    if (memcmp(block, SIGNATURE, SIGNATURE_BYTES) != 0 || length < HEADER_BYTES_MIN ||
        length > disk->block_bytes || !checksum_holds(block, length) ||
        bytes_get32(block + REVISION_AT) >> 16 != REVISION_MAJOR ||
        bytes_get64(block + OWN_BLOCK_AT) != own) {
        return false;
    }
    *header = (struct header){
        .first_usable = bytes_get64(block + FIRST_USABLE_AT),
        .last_usable = bytes_get64(block + LAST_USABLE_AT),
        .entries_block = bytes_get64(block + ENTRIES_BLOCK_AT),
        .entry_count = bytes_get32(block + ENTRY_COUNT_AT),
        .entry_bytes = bytes_get32(block + ENTRY_BYTES_AT),
        .entries_crc = bytes_get32(block + ENTRIES_CRC_AT),
    };
    return bounds_hold(disk, header);
}

struct search {
    const uint8_t *type;
    const struct header *header;
    struct gpt_partition *found;
    bool is_found;
};

/* Looks for the type in part of the entries. Entries begin at multiples of ENTRY_BYTES_MIN, so the
 * fields that are read never cross a block. */
static void look_through(struct search *search, const uint8_t *block, uint64_t offset,
                         size_t length)
{
    const uint32_t size = search->header->entry_bytes;

    for (size_t i = 0; i + ENTRY_BYTES_MIN <= length && !search->is_found; i += ENTRY_BYTES_MIN) {
        const uint64_t first = bytes_get64(block + i + ENTRY_FIRST_AT);
        const uint64_t last = bytes_get64(block + i + ENTRY_LAST_AT);

        if ((offset + i) % size == 0 && memcmp(block + i, search->type, GPT_TYPE_BYTES) == 0 &&
            first >= search->header->first_usable && first <= last &&
            last <= search->header->last_usable) {
            *search->found = (struct gpt_partition){first, last - first + 1};
            search->is_found = true;
        }
    }
}

static enum gpt_result search_entries(const struct gpt_disk *disk, struct search *search)
{
    const struct header *header = search->header;
    const uint64_t bytes = (uint64_t)header->entry_count * header->entry_bytes;
    uint64_t block = header->entries_block;
    uint32_t crc = 0;

    for (uint64_t done = 0; done < bytes; done += disk->block_bytes) {
        const uint64_t left = bytes - done;
        const size_t length = left < disk->block_bytes ? left : disk->block_bytes;

        if (!disk->read(disk->context, block, disk->buffer)) {
            return GPT_UNREADABLE;
        }
        crc = crc32(crc, disk->buffer, length);
        look_through(search, disk->buffer, done, length);
        block++;
    }
    if (crc != header->entries_crc) {
        return GPT_NO_TABLE;
    }
    return search->is_found ? GPT_FOUND : GPT_NO_PARTITION;
}

static enum gpt_result find_by(const struct gpt_disk *disk, uint64_t own, const uint8_t *type,
                               struct gpt_partition *found)
{
    struct header header;
    struct search search = {.type = type, .header = &header, .found = found};

    if (!disk->read(disk->context, own, disk->buffer)) {
        return GPT_UNREADABLE;
    }
    return read_header(disk, own, &header) ? search_entries(disk, &search) : GPT_NO_TABLE;
}

enum gpt_result gpt_find(const struct gpt_disk *disk, const uint8_t type[GPT_TYPE_BYTES],
                         struct gpt_partition *found)
{
    if (disk->blocks <= PRIMARY_BLOCK + 1) {
        return GPT_NO_TABLE;
    }
    const enum gpt_result primary = find_by(disk, PRIMARY_BLOCK, type, found);

    if (primary == GPT_FOUND || primary == GPT_NO_PARTITION) {
        return primary;
    }
    const enum gpt_result backup = find_by(disk, disk->blocks - 1, type, found);

    return backup == GPT_NO_TABLE ? primary : backup;
}
