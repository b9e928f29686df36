/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/unpack.h"

#include <string.h>

#include "boot/lzma.h"
#include "kernel/link/crc32c.h"

#define OPERAND_SIZE 4u
#define CALL         0xe8 /* relative, 32 bits; the same jump is E9h */
#define JUMP         0xe9
#define TWO_BYTE     0x0f /* conditional jumps are 0Fh, 80h to 8Fh */
#define SIGN         0x01000000u

/* Opcodes behind which a byte of the form 05h addresses by RIP (SDM volume 2 table 2-2), a bit
 * each: the moves, LEA, arithmetic, and second bytes of what begins with 0Fh. Others would be too,
 * but they are rare, and what only looks like them is not. */
static bool takes_address(uint8_t opcode)
{
    static const uint32_t opcodes[8] = {
        0x0003000a, 0x0a000800, 0x00000000, 0x00000008,
        0x00002f2b, 0x00c00000, 0x000000c0, 0x80c00000,
    };

    return (opcodes[opcode / 32] >> opcode % 32 & 1) != 0;
}

/* Distance of the operand from the first byte of what looks like such an instruction; 0: it does
 * not. */
static uint32_t operand_distance(const uint8_t *code)
{
    if (code[0] == CALL || code[0] == JUMP) {
        return 1;
    }
    const bool is_jump = code[0] == TWO_BYTE && code[1] >> 4 == 8;

    return is_jump || ((code[1] & 0xc7) == 5 && takes_address(code[0])) ? 2 : 0;
}

/* Of 24 bits and a sign. Sums are cut to that, so that what was turned can be told, and turned
 * back.
 */
static bool is_short(uint32_t operand)
{
    return operand + SIGN < 2 * SIGN;
}

static uint32_t cut(uint32_t sum)
{
    return ((sum + SIGN) & (2 * SIGN - 1)) - SIGN;
}

static uint32_t turned(uint32_t operand, uint32_t end, enum code_form form)
{
    if (!is_short(operand)) {
        return operand;
    }
    return cut(form == CODE_ABSOLUTE ? operand + end : operand - end);
}

void code_turn(uint8_t *code, uint32_t size, enum code_form form)
{
    for (uint32_t at = 0; at + 2 + OPERAND_SIZE <= size;) {
        const uint32_t distance = operand_distance(code + at);
        const uint32_t end = at + distance + OPERAND_SIZE;
        uint8_t *operand = code + end - OPERAND_SIZE;
        uint32_t value;

        if (distance == 0) {
            at++;
            continue;
        }
        memcpy(&value, operand, sizeof(value));
        value = form == CODE_ABSOLUTE ? __builtin_bswap32(turned(value, end, form))
                                      : turned(__builtin_bswap32(value), end, form);
        memcpy(operand, &value, sizeof(value));
        at = end;
    }
}

static uint32_t checksum_of(const struct packed_header *header, const uint8_t *bytes)
{
    const size_t checked = offsetof(struct packed_header, entry);
    const uint8_t *rest = (const uint8_t *)header + checked;

    return crc32c(crc32c(0, rest, sizeof(*header) - checked), bytes, header->size);
}

bool image_unpack(const uint8_t *packed, size_t packed_size, uint8_t *out, size_t room,
                  struct packed_header *header)
{
    if (packed_size < sizeof(*header)) {
        return false;
    }
    memcpy(header, packed, sizeof(*header));
    if (header->size > room || header->code_size > header->size ||
        !lzma_unpack(packed + sizeof(*header), packed_size - sizeof(*header), out, header->size)) {
        return false;
    }
    code_turn(out, header->code_size, CODE_RELATIVE);
    return checksum_of(header, out) == header->checksum;
}

bool image_relocate(const struct packed_header *header, uint8_t *image, uint32_t rva, uint64_t base)
{
    const uint64_t bytes = (uint64_t)header->relocation_count * sizeof(uint32_t);
    uint64_t at = 0;

    if (bytes > header->size) {
        return false;
    }
    const uint64_t end = (uint64_t)rva + header->size - bytes;
    const uint8_t *distances = image + end;

    for (uint32_t i = 0; i < header->relocation_count; i++) {
        uint32_t distance;
        uint64_t address;

        memcpy(&distance, distances + i * sizeof(distance), sizeof(distance));
        at += distance;
        if (at < rva || at + sizeof(address) > end) {
            return false;
        }
        memcpy(&address, image + at, sizeof(address));
        address = __builtin_bswap64(address) + base;
        memcpy(image + at, &address, sizeof(address));
    }
    return true;
}
