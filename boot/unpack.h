/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The packed part of the image: all that does not talk to firmware. tools/mkefi_pack.c packs it,
 * boot/ unpacks it to where it was linked.
 *
 *     struct packed_header
 *     an LZMA1 stream (lzma.h) of `size` bytes:
 *         code             `code_size` bytes, in absolute form (code_turn)
 *         all else         constants, data, table of symbols
 *         relocations      `relocation_count` numbers of 32 bits: the distance of each 64-bit
 * address from the one before it, the first from the image's start
 *
 * Numbers are little-endian, but for those addresses: alike in their first bytes, they pack better
 * highest byte first. An RVA is an address relative to the image's start.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packed_header {
    uint32_t checksum; /* CRC-32C of the rest of this header and of the unpacked bytes */
    uint32_t entry;    /* RVA of boot_continue() (boot.h) */
    uint32_t size;
    uint32_t code_size;
    uint32_t relocation_count;
};

/* Where linker.ld leaves room for the RVA and size of the packed part. */
struct packed_location {
    uint32_t rva;
    uint32_t size;
};

enum code_form {
    CODE_RELATIVE, /* as the processor wants it */
    CODE_ABSOLUTE, /* as it packs best */
};

/* Turns code from the other form into this one. Operands that are relative to where they stand (of
 * calls and jumps, and of what is addressed by RIP: SDM volume 2 section 2.2.1.6) become the
 * targets, highest byte first: the same target is then the same bytes wherever it is named. Bytes
 * that only look like such an instruction are turned as well; both ways the same ones are. */
void code_turn(uint8_t *code, uint32_t size, enum code_form form);

/* Unpacks into `out`, where there is room for that many bytes. False: damaged, or too large. With
 * true the header is right as well. */
bool image_unpack(const uint8_t *packed, size_t packed_size, uint8_t *out, size_t room,
                  struct packed_header *header);

/* Relocates what was unpacked at `rva` of `image`, for an image that starts at `base`. False where
 * the relocations lie outside it. */
bool image_relocate(const struct packed_header *header, uint8_t *image, uint32_t rva,
                    uint64_t base);
