/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/unpack.h"

#include <string.h>

#include "boot/lzma.h"
#include "kernel/link/crc32c.h"

#define CALL       0xe8 /* relative, 32 bits; the same jump is E9h */
#define JUMP       0xe9
#define LEA        0x8d
#define TWO_BYTE   0x0f /* conditional jumps are 0Fh, 80h to 8Fh */
#define OPCODE_MAX 2u   /* bytes before an operand */
#define SIGN       0x01000000u

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

/* Called for each byte of the code. */
static inline __attribute__((always_inline)) uint32_t operand_distance(const uint8_t *code,
                                                                       enum operand_kind *kind)
{
    if (code[0] == CALL || code[0] == JUMP) {
        *kind = code[0] == CALL ? OPERAND_CALL : OPERAND_JUMP;
        return 1;
    }
    if (code[0] == TWO_BYTE && code[1] >> 4 == 8) {
        *kind = OPERAND_JUMP;
        return 2;
    }
    if ((code[1] & 0xc7) != 5 || !takes_address(code[0])) {
        return 0;
    }
    *kind = code[0] == LEA ? OPERAND_ADDRESS : OPERAND_MEMORY;
    return 2;
}

uint32_t code_operand(const uint8_t code[2], enum operand_kind *kind)
{
    return operand_distance(code, kind);
}

/* Of 24 bits and a sign. Sums are cut to that, so that what was moved can be told, and moved
 * back.
 */
static bool is_short(uint32_t operand)
{
    return operand + SIGN < 2 * SIGN;
}

static uint32_t moved(uint32_t operand, uint32_t by)
{
    return is_short(operand) ? ((operand + by + SIGN) & (2 * SIGN - 1)) - SIGN : operand;
}

uint32_t operand_pack(uint32_t operand, uint32_t end)
{
    return __builtin_bswap32(moved(operand, end));
}

uint32_t operand_unpack(uint32_t operand, uint32_t end)
{
    return moved(__builtin_bswap32(operand), -end);
}

static uint64_t operands_of(const uint32_t counts[OPERAND_KINDS])
{
    uint64_t count = 0;

    for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
        count += counts[kind];
    }
    return count;
}

/* What is read lies behind what is written as long as there are operands left. With damaged counts
 * it may not, but both stay inside. */
bool code_join(uint8_t *code, uint32_t size, const uint8_t *operands,
               const uint32_t counts[OPERAND_KINDS])
{
    const size_t operands_size = operands_of(counts) * OPERAND_SIZE;
    const uint8_t *const operands_end = operands + operands_size;
    const uint8_t *const end = code + size;
    const uint8_t *from = code + operands_size;
    const uint8_t *next[OPERAND_KINDS];
    uint8_t *to = code;

    for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
        next[kind] = operands;
        operands += (size_t)counts[kind] * OPERAND_SIZE;
    }
    while (end - to >= OPCODE_MAX + (ptrdiff_t)OPERAND_SIZE && end - from >= OPCODE_MAX) {
        enum operand_kind kind;
        const uint32_t distance = operand_distance(from, &kind);
        uint32_t value;

        *to++ = *from++;
        if (distance == 0) {
            continue;
        }
        if (distance == OPCODE_MAX) {
            *to++ = *from++;
        }
        if (next[kind] == operands_end) {
            return false;
        }
        /* In freestanding C plain memcpy is a call, even for a number. */
        __builtin_memcpy(&value, next[kind], sizeof(value));
        next[kind] += sizeof(value);
        value = operand_unpack(value, (uint32_t)(to - code) + OPERAND_SIZE);
        __builtin_memcpy(to, &value, sizeof(value));
        to += sizeof(value);
    }
    return from == to;
}

static uint32_t checksum_of(const struct packed_header *header, const uint8_t *bytes)
{
    const size_t checked = offsetof(struct packed_header, entry);
    const uint8_t *rest = (const uint8_t *)header + checked;

    return crc32c(crc32c(0, rest, sizeof(*header) - checked), bytes, header->size);
}

uint64_t packed_room(const struct packed_header *header)
{
    return header->size + operands_of(header->operand_counts) * OPERAND_SIZE;
}

/* The code without its operands ends where the code will end, so that all behind it is in place. */
bool image_unpack(const uint8_t *packed, size_t packed_size, uint8_t *out, size_t room,
                  struct packed_header *header)
{
    if (packed_size < sizeof(*header)) {
        return false;
    }
    memcpy(header, packed, sizeof(*header));
    const uint64_t needed = packed_room(header);
    const uint64_t operands = needed - header->size;

    return needed <= room && operands <= header->code_size && header->code_size <= header->size &&
           lzma_unpack(packed + sizeof(*header), packed_size - sizeof(*header), out + operands,
                       header->size) &&
           code_join(out, header->code_size, out + header->size, header->operand_counts) &&
           checksum_of(header, out) == header->checksum;
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

        __builtin_memcpy(&distance, distances + i * sizeof(distance), sizeof(distance));
        at += distance;
        if (at < rva || at + sizeof(address) > end) {
            return false;
        }
        __builtin_memcpy(&address, image + at, sizeof(address));
        address = __builtin_bswap64(address) + base;
        __builtin_memcpy(image + at, &address, sizeof(address));
    }
    return true;
}
