/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows: what the plugin of QEMU (tools/qemu/plugin) had counted when the guest read its TSC.
 *
 * A file of rows is a header and records, in the byte order of the machine. A record stands for
 * `rows` rows in turn of one address, each of which counted the same since the row before it: a
 * loop that polls the TSC is one record. The last record has the address ROW_END and is what was
 * counted after the last row; without it the file is incomplete.
 */
#pragma once

#include <stdint.h>

#define ROW_MAGIC   "tare rows 1\n\0\0\0"
#define ROW_END     UINT64_MAX
#define ROW_COLUMNS 8

enum row_column {
    ROW_INSTRUCTIONS, /* as QEMU's virtual time counts them: none that faulted */
    ROW_LOADS,
    ROW_STORES,
    ROW_MISALIGNED, /* loads and stores whose address is no multiple of their size */
    ROW_SEGMENT_LOADS,
    ROW_ADDRESS_SPACE_LOADS, /* moves to CR3 */
    ROW_DTLB_MISSES,         /* of the model, tlb.h */
    ROW_ITLB_MISSES,
};

struct row_header {
    char magic[16];
};

struct row_record {
    uint64_t address; /* of the RDTSC or RDTSCP, linear */
    uint64_t rows;
    uint64_t counted[ROW_COLUMNS]; /* since the row before */
};
