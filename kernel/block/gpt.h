/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Partitions of a disk by its GPT (UEFI specification 2.10, chapter 5): header in block 1, entries
 * where that has them, copies of both at the disk's end. Nothing of it is believed before its
 * checksums and its bounds hold; where the first header or its entries do not, the copy counts.
 *
 * Pure: who asks gives a function that reads a block.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GPT_BLOCK_MAX   4096
#define GPT_TYPE_BYTES  16
#define GPT_ENTRIES_MAX 1024 /* 128 are usual */

struct gpt_disk {
    uint64_t blocks;
    uint32_t block_bytes; /* 512 to GPT_BLOCK_MAX, a power of two */
    /* False: it could not be read. */
    bool (*read)(void *context, uint64_t block, void *to);
    void *context;
    void *buffer; /* of block_bytes: what is read into */
};

struct gpt_partition {
    uint64_t first; /* block */
    uint64_t blocks;
};

enum gpt_result {
    GPT_FOUND,
    GPT_NO_PARTITION, /* it has a table, and in it none of this type */
    GPT_NO_TABLE,     /* no header at either place, or a damaged one */
    GPT_UNREADABLE,   /* a block of the tables could not be read */
};

/* CRC-32 (polynomial 04C11DB7h reflected), of the headers and the entries: that of "123456789" is
 * CBF43926h. */
uint32_t gpt_crc32(const void *bytes, size_t length);

/* The first partition of that type, as its bytes lie on the disk. */
enum gpt_result gpt_find(const struct gpt_disk *disk, const uint8_t type[GPT_TYPE_BYTES],
                         struct gpt_partition *found);
