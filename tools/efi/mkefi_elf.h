/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading the linked image, an ELF64 file (System V ABI, chapters 4 and 5).
 */
#pragma once

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/efi/mkefi.h"

struct elf {
    const uint8_t *data; /* the caller's, as long as this is used */
    size_t size;
    Elf64_Ehdr header;
    const char *names;
    size_t names_size;
};

struct elf elf_open(const struct buffer *file);

/* Section number `index`, from 1 to header.e_shnum - 1. */
Elf64_Shdr elf_section(const struct elf *elf, unsigned index);
const char *elf_section_name(const struct elf *elf, const Elf64_Shdr *section);

/* The contents of a section that has some in the file. */
const uint8_t *elf_contents(const struct elf *elf, const Elf64_Shdr *section);

/* The value of a symbol that must be there, once. */
uint32_t elf_symbol(const struct elf *elf, const char *name);

/* The functions in [start, end), in order of address, then of name. The array is the caller's, the
 * names are the file's. */
struct elf_function {
    uint32_t address;
    const char *name;
};
struct elf_function *elf_functions(const struct elf *elf, uint32_t start, uint32_t end,
                                   size_t *count);
