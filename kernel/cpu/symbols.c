/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/symbols.h"

#include <string.h>

/* The table of linker.ld and tools/build/symbols.sh: a count (u32); for each function, in order of
 * address, its distance from the one before it (ULEB128; for the first, from the image's start);
 * then the names of all functions. */
extern const uint8_t image_symbols[] __attribute__((visibility("hidden")));

static uint64_t base;
static uint64_t size;

void symbols_init(uint64_t image_base, uint64_t image_size)
{
    base = image_base;
    size = image_size;
}

uint64_t symbol_link_address(uint64_t address)
{
    return address - base < size ? address - base : address;
}

/* Reads a ULEB128: 7 bits in each byte, the lowest first; bit 7 is set except in the last byte. */
static uint64_t next_distance(const uint8_t **at)
{
    uint64_t distance = 0;
    unsigned shift = 0;

    do {
        distance |= (uint64_t)(**at & 0x7f) << shift;
        shift += 7;
    } while ((*(*at)++ & 0x80) != 0);
    return distance;
}

const char *symbol_of(uint64_t address, uint64_t *offset)
{
    const uint8_t *table = image_symbols;
    uint32_t count;
    uint32_t begun = 0; /* number of functions that start at the address or below it */
    uint64_t start = 0; /* start of the last of these functions */
    uint64_t at = 0;

    if (address - base >= size) {
        return NULL;
    }
    memcpy(&count, table, sizeof(count));
    table += sizeof(count);
    for (uint32_t i = 0; i < count; i++) {
        at += next_distance(&table);
        if (at <= address - base) {
            start = at;
            begun++;
        }
    }
    if (begun == 0) {
        return NULL;
    }
    const char *name = (const char *)table;

    for (; begun > 1; begun--) {
        name += strlen(name) + 1;
    }
    *offset = address - base - start;
    return name;
}

size_t backtrace_walk(uint64_t rbp, uint64_t stack_low, uint64_t stack_high, uint64_t *out,
                      size_t capacity)
{
    size_t n = 0;

    while (n < capacity && rbp % 8 == 0 && rbp >= stack_low && rbp + 16 <= stack_high) {
        const uint64_t *frame = (const uint64_t *)(uintptr_t)rbp;

        if (frame[1] == 0) {
            break;
        }
        out[n++] = frame[1];
        if (frame[0] <= rbp) {
            break;
        }
        rbp = frame[0];
    }
    return n;
}
