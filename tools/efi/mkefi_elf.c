/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/efi/mkefi_elf.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

Elf64_Shdr elf_section(const struct elf *elf, unsigned index)
{
    Elf64_Shdr section;

    memcpy(&section, elf->data + elf->header.e_shoff + (uint64_t)index * sizeof(section),
           sizeof(section));
    return section;
}

const char *elf_section_name(const struct elf *elf, const Elf64_Shdr *section)
{
    if (section->sh_name >= elf->names_size) {
        fail("broken: a section's name lies outside the name table");
    }
    return elf->names + section->sh_name;
}

const uint8_t *elf_contents(const struct elf *elf, const Elf64_Shdr *section)
{
    if (section->sh_offset > elf->size || section->sh_size > elf->size - section->sh_offset) {
        fail("broken: a section's contents lie outside the file");
    }
    return elf->data + section->sh_offset;
}

/* Not empty, and ending with a NUL, so that every index in it is a string. */
static const char *string_table(const struct elf *elf, unsigned index, size_t *size)
{
    if (index >= elf->header.e_shnum) {
        fail("broken: no string table %u", index);
    }
    const Elf64_Shdr section = elf_section(elf, index);
    const char *strings = (const char *)elf_contents(elf, &section);

    *size = section.sh_size;
    if (section.sh_type != SHT_STRTAB || *size == 0 || strings[*size - 1] != '\0') {
        fail("broken: section %u is no string table", index);
    }
    return strings;
}

struct elf elf_open(const struct buffer *file)
{
    struct elf elf = {.data = file->data, .size = file->size};
    Elf64_Ehdr *header = &elf.header;

    if (file->size < sizeof(*header) || memcmp(file->data, ELFMAG, SELFMAG) != 0) {
        fail("not an ELF file");
    }
    memcpy(header, file->data, sizeof(*header));
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != EM_X86_64) {
        fail("not an x86-64 ELF file");
    }
    if (header->e_type != ET_DYN && header->e_type != ET_EXEC) {
        fail("not linked");
    }
    const uint64_t size = (uint64_t)header->e_shnum * sizeof(Elf64_Shdr);

    if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shnum == 0 ||
        header->e_shoff > elf.size || size > elf.size - header->e_shoff) {
        fail("broken: bad section table");
    }
    elf.names = string_table(&elf, header->e_shstrndx, &elf.names_size);
    return elf;
}

struct symbols {
    const uint8_t *entries;
    size_t count;
    const char *names;
    size_t names_size;
};

static struct symbols open_symbols(const struct elf *elf)
{
    for (unsigned i = 1; i < elf->header.e_shnum; i++) {
        const Elf64_Shdr section = elf_section(elf, i);

        if (section.sh_type == SHT_SYMTAB) {
            struct symbols symbols = {.entries = elf_contents(elf, &section),
                                      .count = section.sh_size / sizeof(Elf64_Sym)};

            symbols.names = string_table(elf, section.sh_link, &symbols.names_size);
            return symbols;
        }
    }
    fail("no symbol table (stripped?)");
}

static Elf64_Sym symbol_at(const struct symbols *symbols, size_t index, const char **name)
{
    Elf64_Sym symbol;

    memcpy(&symbol, symbols->entries + index * sizeof(symbol), sizeof(symbol));
    if (symbol.st_name >= symbols->names_size) {
        fail("broken: a symbol's name lies outside the name table");
    }
    *name = symbols->names + symbol.st_name;
    return symbol;
}

uint32_t elf_symbol(const struct elf *elf, const char *wanted)
{
    const struct symbols symbols = open_symbols(elf);
    uint32_t value = 0;
    bool found = false;

    for (size_t i = 0; i < symbols.count; i++) {
        const char *name;
        const Elf64_Sym symbol = symbol_at(&symbols, i, &name);

        if (symbol.st_shndx == SHN_UNDEF || strcmp(name, wanted) != 0) {
            continue;
        }
        if (found || symbol.st_value >= IMAGE_MAX) {
            fail("symbol %s is there twice or out of range", wanted);
        }
        found = true;
        value = (uint32_t)symbol.st_value;
    }
    if (!found) {
        fail("no symbol %s", wanted);
    }
    return value;
}

static int compare_functions(const void *a, const void *b)
{
    const struct elf_function *left = a;
    const struct elf_function *right = b;

    if (left->address != right->address) {
        return left->address < right->address ? -1 : 1;
    }
    return strcmp(left->name, right->name);
}

struct elf_function *elf_functions(const struct elf *elf, uint32_t start, uint32_t end,
                                   size_t *count)
{
    const struct symbols symbols = open_symbols(elf);
    struct elf_function *functions = allocate(symbols.count * sizeof(*functions));

    *count = 0;
    for (size_t i = 0; i < symbols.count; i++) {
        const char *name;
        const Elf64_Sym symbol = symbol_at(&symbols, i, &name);

        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
            symbol.st_value >= start && symbol.st_value < end) {
            functions[(*count)++] = (struct elf_function){(uint32_t)symbol.st_value, name};
        }
    }
    qsort(functions, *count, sizeof(*functions), compare_functions);
    return functions;
}
