/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine's memory for the ACPI parser: one piece at an address. The parser can read only the
 * bytes that it has requested; AddressSanitizer reports any other access.
 */
#pragma once

#include <sanitizer/asan_interface.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"

struct acpi_piece {
    uint64_t address;
    uint8_t *bytes; /* on the heap, so that reads before and after it fail too */
    size_t length;
};

static inline const void *acpi_piece_at(const void *context, uint64_t address, uint64_t length)
{
    const struct acpi_piece *piece = context;

    if (address < piece->address || address - piece->address > piece->length ||
        length > piece->length - (address - piece->address)) {
        return NULL;
    }
    uint8_t *at = piece->bytes + (address - piece->address);

    ASAN_UNPOISON_MEMORY_REGION(at, length);
    return at;
}

/* An address outside the piece, in 40 bits. */
static inline bool acpi_piece_is_device(const void *context, uint64_t address, uint64_t length)
{
    const struct acpi_piece *piece = context;

    return address >= 4096 && address < 1ull << 40 &&
           (address + length <= piece->address || address >= piece->address + piece->length);
}

static inline void acpi_piece_read(const struct acpi_piece *piece, uint64_t rsdp,
                                   struct acpi_facts *facts)
{
    const struct acpi_memory memory = {acpi_piece_at, acpi_piece_is_device, piece};

    ASAN_POISON_MEMORY_REGION(piece->bytes, piece->length);
    acpi_read(&memory, rsdp, facts);
    ASAN_UNPOISON_MEMORY_REGION(piece->bytes, piece->length);
}
