/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds partitions of a disk by its GPT (UEFI specification 2.10, chapter 5). The header is in
 * block 1 and gives the place of the entries; copies of both are at the end of the disk. Nothing is
 * used before its checksums and bounds have been checked. If the first header or its entries are
 * bad, the copy is used.
 *
 * Accesses no hardware: the caller provides a function that reads a block.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GPT_BLOCK_MAX   4096
#define GPT_TYPE_BYTES  16
#define GPT_ENTRIES_MAX 1024 /* 128 is usual */

struct gpt_disk {
    uint64_t blocks;
    uint32_t block_bytes; /* 512 to GPT_BLOCK_MAX, a power of two */
    /* Reads one block. Returns false if it could not be read. */
    bool (*read)(void *context, uint64_t block, void *to);
    void *context;
    void *buffer; /* memory of block_bytes for the block that is read */
};

struct gpt_partition {
    uint64_t first; /* first block */
    uint64_t blocks;
};

enum gpt_result {
    GPT_FOUND,
    GPT_NO_PARTITION, /* the disk has a table, but no partition of this type */
    GPT_NO_TABLE,     /* both headers are missing or damaged */
    GPT_UNREADABLE,   /* a block of the tables could not be read */
};

/* Returns the CRC-32 of headers and entries (polynomial 04C11DB7h, reflected). That of "123456789"
 * is CBF43926h. */
uint32_t gpt_crc32(const void *bytes, size_t length);

/* Finds the first partition of a type. `type` has its bytes in the order on the disk. */
enum gpt_result gpt_find(const struct gpt_disk *disk, const uint8_t type[GPT_TYPE_BYTES],
                         struct gpt_partition *found);
