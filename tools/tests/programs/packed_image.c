/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * packed_image TARE.EFI TARE.ELF
 *
 * Unpacks and relocates what the PE file holds, as boot/ does, and compares it with the ELF file,
 * relocated by what the linker wrote there. Prints the numbers of bytes and of addresses that are
 * the same.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/unpack.h"
#include "tools/tests/programs/image_elf.h"

#define FILE_MAX     (1u << 20)
#define BASE         0x7ffe12345000ull
#define SYMBOL_BYTES 4 /* what mkefi fills in */

static uint8_t file[FILE_MAX];
static size_t file_size;

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static uint32_t number(size_t at)
{
    uint32_t value;

    if (at + sizeof(value) > file_size) {
        fail("the PE file is cut short");
    }
    memcpy(&value, file + at, sizeof(value));
    return value;
}

/* Of a section header (Microsoft, "PE Format", section table). */
enum { VIRTUAL_SIZE = 8, RVA = 12, RAW_SIZE = 16, RAW_OFFSET = 20, HEADER_SIZE = 40 };

static size_t section_header(const char *name)
{
    const size_t pe = number(0x3c);
    const unsigned count = number(pe + 6) & 0xffff;
    const size_t table = pe + 24 + (number(pe + 20) & 0xffff);

    for (unsigned i = 0; i < count; i++) {
        const size_t header = table + (size_t)i * HEADER_SIZE;

        number(header + HEADER_SIZE - 4);
        if (strncmp((const char *)file + header, name, 8) == 0) {
            return header;
        }
    }
    fail("no section %s in the PE file", name);
}

static void read_file(const char *name)
{
    FILE *input = fopen(name, "rb");

    if (input == NULL) {
        fail("%s cannot be read", name);
    }
    file_size = fread(file, 1, sizeof(file), input);
    fclose(input);
}

/* What is unpacked and relocated at its RVA. */
static uint8_t *unpack(struct packed_header *header, uint32_t rva)
{
    const size_t packed = section_header(".packed");
    const size_t kernel = section_header(".kernel");
    const uint32_t room = number(kernel + VIRTUAL_SIZE);
    const uint32_t offset = number(packed + RAW_OFFSET);
    const uint32_t size = number(packed + VIRTUAL_SIZE);
    uint8_t *memory = calloc(1, (size_t)rva + room);

    if (memory == NULL || offset > file_size || size > file_size - offset ||
        !image_unpack(file + offset, size, memory + rva, room, header) ||
        !image_relocate(header, memory, rva, BASE)) {
        fail("it does not unpack");
    }
    return memory;
}

/* ULEB128 (DWARF 5 section 7.6). */
static uint64_t uleb128(const uint8_t **at, const uint8_t *end)
{
    uint64_t value = 0;

    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        const uint8_t byte = *(*at)++;

        value += (byte % 128ull) << shift;
        if (byte < 128) {
            return value;
        }
    }
    fail("a number in the table of symbols has no end");
}

/* The table of names holds a function at its address. */
static bool table_names(const uint8_t *table, const uint8_t *end, const char *wanted, uint64_t rva)
{
    uint32_t count;
    uint64_t at = 0;

    memcpy(&count, table, sizeof(count));
    const uint8_t *distances = table + sizeof(count);
    const uint8_t *names = distances;

    for (uint32_t i = 0; i < count; i++) {
        uleb128(&names, end);
    }
    const char *name = (const char *)names;

    for (uint32_t i = 0; i < count && (const uint8_t *)name < end; i++) {
        at += uleb128(&distances, end);
        if (strcmp(name, wanted) == 0) {
            return at == rva;
        }
        name += strlen(name) + 1;
    }
    return false;
}

int main(int argc, char **argv)
{
    struct image_elf elf;
    struct packed_header header;

    if (argc != 3) {
        fprintf(stderr, "usage: packed_image TARE.EFI TARE.ELF\n");
        return 2;
    }
    read_file(argv[1]);
    image_elf_load(&elf, argv[2], BASE);
    const uint32_t rva = number(section_header(".kernel") + RVA);
    uint8_t *memory = unpack(&header, rva);
    const uint64_t filled_in = image_elf_symbol(&elf, "image_symbols_rva") - BASE;
    const uint64_t entry = image_elf_symbol(&elf, "boot_continue") - BASE;
    uint32_t symbols;

    memcpy(&symbols, memory + filled_in, sizeof(symbols));
    if (symbols != elf.size || header.entry != entry ||
        !table_names(memory + symbols, memory + rva + header.size, "boot_continue", entry)) {
        fail("the table of symbols or the entry is wrong");
    }
    memset(memory + filled_in, 0, SYMBOL_BYTES);
    if (memcmp(memory + rva, elf.memory + rva, elf.size - rva) != 0) {
        fail("it unpacks to something else than was linked");
    }
    printf("%zu bytes, %u addresses\n", elf.size - rva, (unsigned)header.relocation_count);
    free(memory);
    image_elf_free(&elf);
    return 0;
}
