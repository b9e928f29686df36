/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/object_code.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#define NAME_SHOWN 60

struct object {
    const uint8_t *bytes;
    size_t length;
    Elf64_Ehdr head;
    char *error;
};

static bool refuse(struct object *object, const char *why)
{
    snprintf(object->error, OBJECT_ERROR_MAX, "%s", why);
    return false;
}

/* `bytes` from `offset` on, or NULL where the file is shorter. */
static const void *at(const struct object *object, uint64_t offset, uint64_t bytes)
{
    return offset <= object->length && bytes <= object->length - offset ? object->bytes + offset
                                                                        : NULL;
}

static bool read_head(struct object *object)
{
    const void *head = at(object, 0, sizeof(object->head));

    if (head == NULL) {
        return refuse(object, "the object file is too short");
    }
    memcpy(&object->head, head, sizeof(object->head));
    if (memcmp(object->head.e_ident, ELFMAG, SELFMAG) != 0 ||
        object->head.e_ident[EI_CLASS] != ELFCLASS64 || object->head.e_machine != EM_X86_64 ||
        object->head.e_shentsize != sizeof(Elf64_Shdr)) {
        return refuse(object, "the object file is not ELF for x86-64: the assembler is for another "
                              "processor");
    }
    return true;
}

/* False: there is no section of that number, or it lies outside the file. */
static bool read_section(const struct object *object, uint64_t index, Elf64_Shdr *section)
{
    const void *found = index < object->head.e_shnum
                            ? at(object, object->head.e_shoff, (index + 1) * sizeof(*section))
                            : NULL;

    if (found == NULL) {
        return false;
    }
    memcpy(section, (const uint8_t *)found + index * sizeof(*section), sizeof(*section));
    return section->sh_type == SHT_NOBITS ||
           at(object, section->sh_offset, section->sh_size) != NULL;
}

/* A name of a table of strings; "?" where it has none there. */
static const char *name_in(const struct object *object, uint64_t table, uint64_t offset)
{
    Elf64_Shdr strings;

    if (!read_section(object, table, &strings) || strings.sh_type != SHT_STRTAB ||
        offset >= strings.sh_size) {
        return "?";
    }
    const char *name = at(object, strings.sh_offset + offset, strings.sh_size - offset);

    return name != NULL && memchr(name, '\0', strings.sh_size - offset) != NULL ? name : "?";
}

/* The symbol, or the section, of the first relocation. */
static const char *first_symbol(const struct object *object, const Elf64_Shdr *relocations)
{
    Elf64_Shdr symbols;
    Elf64_Shdr section;
    Elf64_Rela relocation;
    Elf64_Sym symbol;
    const void *first = at(object, relocations->sh_offset, sizeof(relocation));

    if (first == NULL || !read_section(object, relocations->sh_link, &symbols)) {
        return "?";
    }
    memcpy(&relocation, first, sizeof(relocation));
    const uint64_t index = ELF64_R_SYM(relocation.r_info);
    const void *found = index < symbols.sh_size / sizeof(symbol)
                            ? at(object, symbols.sh_offset + index * sizeof(symbol), sizeof(symbol))
                            : NULL;

    if (found == NULL) {
        return "?";
    }
    memcpy(&symbol, found, sizeof(symbol));
    if (symbol.st_name == 0 && read_section(object, symbol.st_shndx, &section)) {
        return name_in(object, object->head.e_shstrndx, section.sh_name);
    }
    return name_in(object, symbols.sh_link, symbol.st_name);
}

static bool take_code(struct object *object, const Elf64_Shdr *section, struct code *code)
{
    const void *bytes = at(object, section->sh_offset, section->sh_size);

    if (code->length != 0) {
        return refuse(object, "the code is in two sections; one is sent");
    }
    if (bytes == NULL || section->sh_size > CODE_BYTES_MAX) {
        snprintf(object->error, OBJECT_ERROR_MAX, "the code has %llu bytes; at most %d are sent",
                 (unsigned long long)section->sh_size, CODE_BYTES_MAX);
        return false;
    }
    memcpy(code->bytes, bytes, section->sh_size);
    code->length = section->sh_size;
    return true;
}

/* True where the section is harmless, or its code has been taken. */
static bool take_section(struct object *object, const Elf64_Shdr *section, struct code *code)
{
    const bool is_loaded = (section->sh_flags & SHF_ALLOC) != 0 && section->sh_size != 0 &&
                           (section->sh_type == SHT_PROGBITS || section->sh_type == SHT_NOBITS);

    if (section->sh_type == SHT_RELA && section->sh_size != 0) {
        snprintf(object->error, OBJECT_ERROR_MAX,
                 "the code refers to %.*s, which is not in the code", NAME_SHOWN,
                 first_symbol(object, section));
        return false;
    }
    if (!is_loaded) {
        return true;
    }
    if ((section->sh_flags & SHF_EXECINSTR) == 0 || section->sh_type == SHT_NOBITS) {
        snprintf(object->error, OBJECT_ERROR_MAX, "section %.*s has bytes; only code is sent",
                 NAME_SHOWN, name_in(object, object->head.e_shstrndx, section->sh_name));
        return false;
    }
    return take_code(object, section, code);
}

bool object_code(const uint8_t *bytes, size_t length, struct code *code,
                 char error[OBJECT_ERROR_MAX])
{
    struct object object = {.bytes = bytes, .length = length, .error = error};
    Elf64_Shdr section;

    code->length = 0;
    if (!read_head(&object)) {
        return false;
    }
    for (uint64_t i = 1; i < object.head.e_shnum; i++) {
        if (!read_section(&object, i, &section)) {
            return refuse(&object, "the object file is damaged");
        }
        if (!take_section(&object, &section, code)) {
            return false;
        }
    }
    return code->length != 0 || refuse(&object, "it holds no instruction");
}
