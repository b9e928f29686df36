/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The packed part of the image: all that does not talk to firmware. tools/mkefi_pack.c packs it,
 * boot/ unpacks it to where it was linked.
 *
 *     struct packed_header
 *     an LZMA1 stream (lzma.h) of `size` bytes:
 *         code             without its operands (code_join)
 *         all else         constants, data, table of symbols
 *         relocations      `relocation_count` numbers of 32 bits: the distance of each 64-bit
 * address from the one before it, the first from the image's start
 *         operands         of the code, those of each kind in its order
 *
 * Numbers are little-endian, but for those addresses and the operands: alike in their first bytes,
 * they pack better highest byte first. An RVA is an address relative to the image's start.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is relative to where it stands, 32 bits each: the targets of calls and jumps, and what is
 * addressed by RIP (SDM volume 2 section 2.2.1.6). */
enum operand_kind {
    OPERAND_CALL,
    OPERAND_JUMP,    /* conditional ones as well */
    OPERAND_ADDRESS, /* of LEA: mostly functions and texts */
    OPERAND_MEMORY,  /* of all else that takes such an address: mostly variables */
    OPERAND_KINDS,
};
#define OPERAND_SIZE 4u

struct packed_header {
    uint32_t checksum; /* CRC-32C of the rest of this header and of the unpacked bytes */
    uint32_t entry;    /* RVA of boot_continue() (boot.h) */
    uint32_t size;
    uint32_t code_size; /* with its operands */
    uint32_t relocation_count;
    uint32_t operand_counts[OPERAND_KINDS];
};

/* Where linker.ld leaves room for the RVA and size of the packed part. */
struct packed_location {
    uint32_t rva;
    uint32_t size;
};

/* Bytes before the operand of what starts with these two bytes, 1 or 2, and its kind; 0 where they
 * are no such instruction. Bytes that only look like one are taken for it by packer and unpacker
 * alike. */
uint32_t code_operand(const uint8_t code[2], enum operand_kind *kind);

/* An operand of an instruction that ends at `end` is packed as its target, the same wherever it is
 * named, and unpacked as the processor wants it. One of more than 24 bits and a sign stays. */
uint32_t operand_pack(uint32_t operand, uint32_t end);
uint32_t operand_unpack(uint32_t operand, uint32_t end);

/* Operands take a fifth of the code, and pack better apart from it, each kind by itself. Puts them
 * back: `size` bytes of code, which without the operands lies at the end of these. `counts`: of
 * each kind of `operands`, 4 * their sum <= size. No operand lies in the last bytes, less than
 * those of an instruction. False: damaged. */
bool code_join(uint8_t *code, uint32_t size, const uint8_t *operands,
               const uint32_t counts[OPERAND_KINDS]);

/* Bytes that image_unpack needs room for: what is unpacked, and its operands behind it. */
uint64_t packed_room(const struct packed_header *header);

/* Unpacks into `out`, where there is `room` for that many bytes, packed_room() or more. False:
 * damaged, or too large. With true the header is right as well. */
bool image_unpack(const uint8_t *packed, size_t packed_size, uint8_t *out, size_t room,
                  struct packed_header *header);

/* Relocates what was unpacked at `rva` of `image`, for an image that starts at `base`. False where
 * the relocations lie outside it. */
bool image_relocate(const struct packed_header *header, uint8_t *image, uint32_t rva,
                    uint64_t base);
