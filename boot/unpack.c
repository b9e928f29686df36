/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/unpack.h"

#include <string.h>

#include "boot/lzma.h"
#include "kernel/link/crc32c.h"

/* Operands in [-at, size - at) become targets in [0, size); those in [size - at, size), whose place
 * they take, become what was left: [-at, 0). All others stay. */
uint32_t call_target(uint32_t operand, uint32_t at, uint32_t size)
{
    if (operand + at < size) {
        return operand + at;
    }
    return operand < size ? operand - size : operand;
}

uint32_t call_operand(uint32_t target, uint32_t at, uint32_t size)
{
    if (target < size) {
        return target - at;
    }
    return target + at < at ? target + size : target;
}

static void restore_calls(uint8_t *code, uint32_t size)
{
    for (uint32_t at = 0; size - at >= CALL_SIZE;) {
        if (code[at] != CALL_OPCODE && code[at] != JUMP_OPCODE) {
            at++;
            continue;
        }
        uint32_t value;

        memcpy(&value, code + at + 1, sizeof(value));
        value = call_operand(value, at, size);
        memcpy(code + at + 1, &value, sizeof(value));
        at += CALL_SIZE;
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
    restore_calls(out, header->code_size);
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
        address += base;
        memcpy(image + at, &address, sizeof(address));
    }
    return true;
}
