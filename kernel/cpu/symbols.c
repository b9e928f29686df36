/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/symbols.h"

#include <string.h>

/* Where the table is: a count (u32), then for each function, in order of address, its distance from
 * the one before it (u16) and its name. Filled in by tools/mkefi.c. Volatile: the compiler must not
 * believe the zeros. */
struct symbol_table_location {
    uint32_t rva;
    uint32_t size;
};
extern volatile struct symbol_table_location symbol_table_location;
volatile struct symbol_table_location symbol_table_location __attribute__((used));

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

const char *symbol_of(uint64_t address, uint64_t *offset)
{
    const uint32_t rva = symbol_table_location.rva;

    if (rva == 0 || address - base >= size) {
        return NULL;
    }
    const char *at = (const char *)(uintptr_t)(base + rva);
    const char *best = NULL;
    uint64_t start = 0; /* of function `best` */
    uint32_t left;

    memcpy(&left, at, sizeof(left));
    at += sizeof(left);
    for (; left > 0; left--) {
        uint16_t distance;

        memcpy(&distance, at, sizeof(distance));
        if (start + distance > address - base) {
            break;
        }
        start += distance;
        best = at + sizeof(distance);
        at = best + strlen(best) + 1;
    }
    *offset = address - base - start;
    return best;
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
