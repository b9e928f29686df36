/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The packed part of the image: all that does not talk to firmware. tools/mkefi_pack.c packs it,
 * boot/ unpacks it to where it was linked.
 *
 *     struct packed_header
 *     an LZMA1 stream (lzma.h) of `size` bytes:
 *         code             `code_size` bytes, with the targets of calls and jumps made absolute
 *         all else         constants, data, table of symbols
 *         relocations      `relocation_count` numbers of 32 bits: the distance of each 64-bit
 * address from the one before it, the first from the image's start
 *
 * Numbers are little-endian. An RVA is an address relative to the image's start.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packed_header {
    uint32_t checksum; /* CRC-32C of the rest of this header and of the unpacked bytes */
    uint32_t entry;    /* RVA of kernel_main */
    uint32_t size;
    uint32_t code_size;
    uint32_t relocation_count;
};

/* Where linker.ld leaves room for the RVA and size of the packed part. */
struct packed_location {
    uint32_t rva;
    uint32_t size;
};

#define CALL_SIZE   5
#define CALL_OPCODE 0xe8 /* call, relative, 32 bits */
#define JUMP_OPCODE 0xe9 /* the same jump; SDM volume 2, CALL and JMP */

/* The target of the call or jump at `at` of `size` bytes of code, from its operand and back. A call
 * that stays in the code has the same absolute target wherever it is, which packs better. What lies
 * behind the opcode may be anything: each operand has a target of its own. */
uint32_t call_target(uint32_t operand, uint32_t at, uint32_t size);
uint32_t call_operand(uint32_t target, uint32_t at, uint32_t size);

/* Unpacks into `out`, where there is room for that many bytes. False: damaged, or too large. With
 * true the header is right as well. */
bool image_unpack(const uint8_t *packed, size_t packed_size, uint8_t *out, size_t room,
                  struct packed_header *header);

/* Relocates what was unpacked at `rva` of `image`, for an image that starts at `base`. False where
 * the relocations lie outside it. */
bool image_relocate(const struct packed_header *header, uint8_t *image, uint32_t rva,
                    uint64_t base);
