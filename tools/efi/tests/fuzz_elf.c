/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: any bytes as the linked image that mkefi reads. The input is {place (2), value (8)} to
 * be changed in a small file that is right, and behind FFFFh the file itself.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* Its own fail() ends the program. */
#include "tools/efi/mkefi_elf.c" /* NOLINT(bugprone-suspicious-include) */
#include "tools/tests/support/fuzz_bytes.h"

#define OBJECTS_MAX 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static jmp_buf refused;
static void *objects[OBJECTS_MAX];
static size_t object_count;

void fail(const char *format, ...)
{
    (void)format;
    longjmp(refused, 1);
}

static void *allocate_here(size_t size)
{
    if (object_count == OBJECTS_MAX) {
        abort();
    }
    objects[object_count] = calloc(1, size > 0 ? size : 1);
    return objects[object_count++];
}

void *allocate(size_t size)
{
    return allocate_here(size);
}

/* A header, three sections, two symbols, their names. */
struct small {
    Elf64_Ehdr header;
    Elf64_Shdr section[3];
    Elf64_Sym symbol[2];
    char names[16];
};

static void make_small(struct small *file)
{
    *file = (struct small){
        .header = {.e_type = ET_DYN,
                   .e_machine = EM_X86_64,
                   .e_shoff = offsetof(struct small, section),
                   .e_shentsize = sizeof(Elf64_Shdr),
                   .e_shnum = 3,
                   .e_shstrndx = 1},
        .section = {[1] = {.sh_type = SHT_STRTAB,
                           .sh_offset = offsetof(struct small, names),
                           .sh_size = sizeof(file->names)},
                    [2] = {.sh_type = SHT_SYMTAB,
                           .sh_link = 1,
                           .sh_offset = offsetof(struct small, symbol),
                           .sh_size = sizeof(file->symbol)}},
        .symbol = {[1] = {.st_name = 1, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 16}},
        .names = "\0wanted",
    };
    memcpy(file->header.e_ident, ELFMAG, SELFMAG);
    file->header.e_ident[EI_CLASS] = ELFCLASS64;
    file->header.e_ident[EI_DATA] = ELFDATA2LSB;
}

static void read_elf(const struct buffer *file)
{
    const struct elf elf = elf_open(file);
    size_t count;

    for (unsigned i = 1; i < elf.header.e_shnum; i++) {
        const Elf64_Shdr section = elf_section(&elf, i);

        if (section.sh_type != SHT_NULL) {
            elf_section_name(&elf, &section);
        }
        if (section.sh_type != SHT_NOBITS) {
            elf_contents(&elf, &section);
        }
    }
    elf_functions(&elf, 0, IMAGE_MAX, &count);
    elf_symbol(&elf, "wanted");
}

static void change(struct bytes *bytes, uint8_t *file, size_t size)
{
    while (bytes->left > 0) {
        const size_t high = take(bytes);
        const size_t at = high << 8 | take(bytes);

        if (at == 0xffff) {
            return;
        }
        for (size_t i = 0; i < 8; i++) {
            const uint8_t value = take(bytes);

            file[(at + i) % size] = value;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bytes bytes;
    static struct small small;

    bytes = (struct bytes){data, size};
    make_small(&small);
    change(&bytes, (uint8_t *)&small, sizeof(small));
    const bool is_whole = bytes.left > 0;
    const size_t length = is_whole ? bytes.left : sizeof(small);
    uint8_t *copy = allocate_here(length);

    memcpy(copy, is_whole ? (const void *)bytes.at : &small, length);
    if (setjmp(refused) == 0) {
        read_elf(&(struct buffer){.data = copy, .size = length});
    }
    while (object_count > 0) {
        free(objects[--object_count]);
    }
    return 0;
}
