/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/tests/programs/image_elf.h"

#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u
/* As in linker.ld. */
#define IMAGE_MAX (64u << 20)

static const char *file_name;

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "%s: ", file_name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs(" (made by `make image`?)\n", stderr);
    exit(1);
}

static void read_file(struct image_elf *image)
{
    FILE *file = fopen(file_name, "rb");
    long size = -1;

    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0) {
        fail("%s", strerror(errno));
    }
    rewind(file);
    image->file_size = (size_t)size;
    image->file = malloc(image->file_size + 1);
    if (image->file == NULL || fread(image->file, 1, image->file_size, file) != image->file_size) {
        fail("cannot be read");
    }
    fclose(file);
}

/* `count` things of `size` bytes at `offset` of the file; aligned as ELF aligns them. */
static const void *part(const struct image_elf *image, uint64_t offset, uint64_t count, size_t size)
{
    if (offset > image->file_size || count > (image->file_size - offset) / size) {
        fail("cut short");
    }
    if (size > 1 && offset % 8 != 0) {
        fail("a table is not aligned");
    }
    return (const uint8_t *)image->file + offset;
}

static const Elf64_Ehdr *header_of(const struct image_elf *image)
{
    const Elf64_Ehdr *header = part(image, 0, 1, sizeof(*header));

    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_machine != EM_X86_64 || header->e_phentsize != sizeof(Elf64_Phdr) ||
        header->e_shentsize != sizeof(Elf64_Shdr)) {
        fail("not an x86-64 ELF file");
    }
    return header;
}

static const Elf64_Shdr *section_at(const struct image_elf *image, size_t index)
{
    const Elf64_Ehdr *header = header_of(image);

    if (index >= header->e_shnum) {
        fail("no section %zu", index);
    }
    return (const Elf64_Shdr *)part(image, header->e_shoff, header->e_shnum, sizeof(Elf64_Shdr)) +
           index;
}

/* The first section of a type from index *at on; NULL where there is no more. */
static const Elf64_Shdr *next_section(const struct image_elf *image, uint32_t type, size_t *at)
{
    for (; *at < header_of(image)->e_shnum; (*at)++) {
        const Elf64_Shdr *section = section_at(image, *at);

        if (section->sh_type == type) {
            (*at)++;
            return section;
        }
    }
    return NULL;
}

/* Value of a symbol as it stands in the file. Hidden symbols are local ones here, so that a name of
 * several functions is ambiguous: an error, not the first. */
static uint64_t symbol_value(const struct image_elf *image, const char *name)
{
    size_t at = 0;
    const Elf64_Shdr *table = next_section(image, SHT_SYMTAB, &at);

    if (table == NULL) {
        fail("no symbol table");
    }
    const Elf64_Shdr *strings = section_at(image, table->sh_link);
    const char *names = part(image, strings->sh_offset, strings->sh_size, 1);
    const size_t count = table->sh_size / sizeof(Elf64_Sym);
    const Elf64_Sym *symbols = part(image, table->sh_offset, count, sizeof(*symbols));
    const size_t length = strlen(name);
    const Elf64_Sym *found = NULL;

    for (size_t i = 0; i < count; i++) {
        if (symbols[i].st_shndx == SHN_UNDEF || symbols[i].st_name >= strings->sh_size ||
            strings->sh_size - symbols[i].st_name <= length ||
            memcmp(names + symbols[i].st_name, name, length + 1) != 0) {
            continue;
        }
        if (found != NULL && found->st_value != symbols[i].st_value) {
            fail("several symbols are named %s", name);
        }
        found = &symbols[i];
    }
    if (found == NULL) {
        fail("no symbol %s", name);
    }
    return found->st_value;
}

static void load_segments(struct image_elf *image)
{
    const Elf64_Ehdr *header = header_of(image);
    const Elf64_Phdr *segments = part(image, header->e_phoff, header->e_phnum, sizeof(Elf64_Phdr));

    for (size_t i = 0; i < header->e_phnum; i++) {
        const Elf64_Phdr *segment = &segments[i];

        /* What lies behind image_end is for the linker only. */
        if (segment->p_type != PT_LOAD || segment->p_vaddr >= image->size) {
            continue;
        }
        if (segment->p_filesz > image->size - segment->p_vaddr) {
            fail("a segment reaches past image_end");
        }
        memcpy(image->memory + segment->p_vaddr,
               part(image, segment->p_offset, segment->p_filesz, 1), segment->p_filesz);
    }
}

/* Adds the base to the word at this address. */
static void relocate_word(struct image_elf *image, uint64_t address)
{
    uint64_t value;

    if (address > image->size - sizeof(value)) {
        fail("a relocation is outside of the image");
    }
    memcpy(&value, image->memory + address, sizeof(value));
    value += image->base;
    memcpy(image->memory + address, &value, sizeof(value));
}

static void relocate(struct image_elf *image)
{
    size_t at = 0;
    const Elf64_Shdr *section;

    while ((section = next_section(image, SHT_RELR, &at)) != NULL) {
        const size_t count = section->sh_size / sizeof(Elf64_Relr);
        const Elf64_Relr *entries = part(image, section->sh_offset, count, sizeof(*entries));
        uint64_t next = 0;

        for (size_t i = 0; i < count; i++) {
            if ((entries[i] & 1) == 0) {
                relocate_word(image, entries[i]);
                next = entries[i] + sizeof(uint64_t);
                continue;
            }
            for (unsigned bit = 1; bit < 64; bit++) {
                if ((entries[i] >> bit & 1) != 0) {
                    relocate_word(image, next + (bit - 1) * sizeof(uint64_t));
                }
            }
            next += 63 * sizeof(uint64_t);
        }
    }
}

/* Reads the file and lays out its segments, not yet relocated. */
static void lay_out(struct image_elf *image, const char *path)
{
    *image = (struct image_elf){0};
    file_name = path;
    read_file(image);
    image->size = symbol_value(image, "image_end");
    if (image->size < PAGE || image->size > IMAGE_MAX || image->size % PAGE != 0) {
        fail("image_end is out of range");
    }
    image->memory =
        mmap(NULL, image->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (image->memory == MAP_FAILED) {
        fail("%s", strerror(errno));
    }
    load_segments(image);
}

void image_elf_load(struct image_elf *image, const char *path, uint64_t base)
{
    lay_out(image, path);
    image->base = base;
    relocate(image);
}

void image_elf_load_here(struct image_elf *image, const char *path)
{
    lay_out(image, path);
    image->base = (uint64_t)(uintptr_t)image->memory;
    relocate(image);
    if (mprotect(image->memory, image->size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        fail("cannot be made executable: %s", strerror(errno));
    }
}

uint64_t image_elf_symbol(const struct image_elf *image, const char *name)
{
    return image->base + symbol_value(image, name);
}

void image_elf_free(struct image_elf *image)
{
    munmap(image->memory, image->size);
    free(image->file);
    *image = (struct image_elf){0};
}
