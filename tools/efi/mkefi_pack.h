/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packs what boot/unpack.h unpacks. The same bytes give the same, with one version of liblzma.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "boot/unpack.h"

/* Packs header->size bytes, the last header->relocation_count * 4 of which are the relocations.
 * Completes the header with the checksum and the counts of operands. Returns what image_unpack
 * takes, in memory to be freed; NULL where memory ran out. */
uint8_t *image_pack(struct packed_header *header, const uint8_t *bytes, size_t *packed_size);

/* Where what code_split takes apart is written next. */
struct code_parts {
    uint8_t *rest;
    uint8_t *operands[OPERAND_KINDS];
};

/* The inverse of code_join: appends to the parts, each of which has room for `size` bytes. */
void code_split(const uint8_t *code, uint32_t size, struct code_parts *parts);

/* The LZMA1 stream alone (boot/lzma.h), into `out`. Returns its size; 0: no room, or no memory. */
size_t lzma_pack(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity);
