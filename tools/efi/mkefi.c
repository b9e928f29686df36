/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mkefi IN.elf OUT.efi
 *
 * Turns the image, an ELF64 file linked position-independent at 0 by linker.ld, into the PE file
 * that UEFI firmware loads. All but boot/ is packed, with the relocations it needs and a table of
 * the functions' names for back-traces (boot/unpack.h). The same input gives the same output, byte
 * for byte. An RVA is an address relative to the image's start, which here equals the ELF's virtual
 * address.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/efi/mkefi.h"
#include "tools/efi/mkefi_elf.h"
#include "tools/efi/mkefi_pack.h"
#include "tools/efi/mkefi_pe.h"

struct image {
    struct section sections[REGIONS];
    uint8_t *memory; /* what is linked, at its RVAs */
    uint32_t code_end;
    uint32_t *relocations;
    size_t relocation_count;
    struct buffer kernel; /* what is packed */
};

/* ---- sections ---- */

/* The sections that linker.ld makes. REGIONS: not in the image. */
static enum region region_of(const char *name, uint64_t address)
{
    static const struct {
        const char *name;
        enum region region;
    } known[] = {
        {".dynamic", REGION_BSS}, {".bss", REGION_BSS},       {".boot", REGION_BOOT},
        {".text", REGION_KERNEL}, {".rodata", REGION_KERNEL}, {".data", REGION_KERNEL},
        {".rela.dyn", REGIONS},   {".dynsym", REGIONS},       {".dynstr", REGIONS},
        {".hash", REGIONS},       {".gnu.hash", REGIONS},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        if (strcmp(name, known[i].name) == 0) {
            return known[i].region;
        }
    }
    fail("section %s at %#lx has no place in the image; see linker.ld", name, (long)address);
}

/* Extends a region by an ELF section that lies behind what it has so far. */
static void place(struct section *to, const Elf64_Shdr *from, const char *name)
{
    if (from->sh_addr >= IMAGE_MAX || from->sh_size > IMAGE_MAX - from->sh_addr) {
        fail("section %s is out of range", name);
    }
    if (to->end == 0) {
        to->start = to->end = (uint32_t)from->sh_addr;
    }
    if (from->sh_addr < to->end) {
        fail("section %s overlaps the one before it", name);
    }
    to->end = (uint32_t)(from->sh_addr + from->sh_size);
}

static void check_layout(const struct section *sections)
{
    uint32_t end = PAGE; /* the headers' page */

    for (enum region i = REGION_BSS; i <= REGION_KERNEL; i++) {
        if (sections[i].end == 0) {
            fail("nothing in %s", pe_name(i));
        }
        if (sections[i].start % PAGE != 0) {
            fail("%s does not start on a page border", pe_name(i));
        }
        if (sections[i].start < end) {
            fail("%s overlaps what is before it", pe_name(i));
        }
        end = sections[i].end;
    }
}

/* Zeroes at the end need no place in the file: whoever loads it fills them in. */
static void set_contents(struct section *section, const uint8_t *bytes)
{
    section->bytes = bytes;
    section->raw = section->end - section->start;
    while (section->raw > 0 && bytes[section->raw - 1] == 0) {
        section->raw--;
    }
}

static void load_sections(const struct elf *elf, struct image *image)
{
    image->memory = allocate(IMAGE_MAX);
    for (unsigned i = 1; i < elf->header.e_shnum; i++) {
        const Elf64_Shdr section = elf_section(elf, i);
        const char *name = elf_section_name(elf, &section);

        if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_size == 0) {
            continue;
        }
        const enum region region = region_of(name, section.sh_addr);

        if (region == REGIONS) {
            continue;
        }
        place(&image->sections[region], &section, name);
        if (region != REGION_BSS) {
            memcpy(image->memory + section.sh_addr, elf_contents(elf, &section), section.sh_size);
        }
        if (strcmp(name, ".text") == 0) {
            image->code_end = (uint32_t)(section.sh_addr + section.sh_size);
        }
    }
    check_layout(image->sections);
}

static bool says_position_independent(const uint8_t *dynamic, size_t size)
{
    for (size_t i = 0; i + sizeof(Elf64_Dyn) <= size; i += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;

        memcpy(&entry, dynamic + i, sizeof(entry));
        if (entry.d_tag == DT_FLAGS_1) {
            return (entry.d_un.d_val & DF_1_PIE) != 0;
        }
    }
    return false;
}

/* The ELF type does not tell: ld writes ET_EXEC when the first segment is not at 0, where linker.ld
 * leaves room for the headers. */
static void check_relocatable(const struct elf *elf)
{
    for (unsigned i = 1; i < elf->header.e_shnum; i++) {
        const Elf64_Shdr section = elf_section(elf, i);

        if (section.sh_type == SHT_DYNAMIC &&
            says_position_independent(elf_contents(elf, &section), section.sh_size)) {
            return;
        }
    }
    fail("not position-independent (link with -pie)");
}

/* ---- relocations ---- */

static const char *relocation_type(uint64_t type)
{
    switch (type) {
    case R_X86_64_64:
        return "R_X86_64_64 (an undefined symbol?)";
    case R_X86_64_GLOB_DAT:
        return "R_X86_64_GLOB_DAT";
    case R_X86_64_JUMP_SLOT:
        return "R_X86_64_JUMP_SLOT";
    case R_X86_64_COPY:
        return "R_X86_64_COPY";
    case R_X86_64_DTPMOD64:
        return "R_X86_64_DTPMOD64 (thread-local data)";
    case R_X86_64_TPOFF64:
        return "R_X86_64_TPOFF64 (thread-local data)";
    case R_X86_64_IRELATIVE:
        return "R_X86_64_IRELATIVE";
    default:
        return "unknown";
    }
}

static void relocate(struct image *image, const Elf64_Rela *entry)
{
    const struct section *kernel = &image->sections[REGION_KERNEL];
    const uint64_t type = ELF64_R_TYPE(entry->r_info);
    const uint64_t at = entry->r_offset;

    if (type == R_X86_64_NONE) {
        return;
    }
    if (type != R_X86_64_RELATIVE) {
        fail("relocation of type %lu, %s, at %#lx; only R_X86_64_RELATIVE is supported",
             (unsigned long)type, relocation_type(type), (unsigned long)at);
    }
    if (at < kernel->start || at > kernel->end || kernel->end - at < 8) {
        fail("relocation at %#lx, outside what is packed: boot/ must do without addresses in data",
             (unsigned long)at);
    }
    if (entry->r_addend < 0 || entry->r_addend > kernel->end) {
        fail("relocation at %#lx points to %#lx, outside the image", (unsigned long)at,
             (unsigned long)entry->r_addend);
    }
    store(image->memory + at, __builtin_bswap64((uint64_t)entry->r_addend), 8);
    image->relocations[image->relocation_count++] = (uint32_t)at;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a;
    const uint32_t right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

/* In order of address. */
static void sort_relocations(struct image *image)
{
    const uint32_t *relocations = image->relocations;

    qsort(image->relocations, image->relocation_count, sizeof(uint32_t), compare_numbers);
    for (size_t i = 1; i < image->relocation_count; i++) {
        if (relocations[i] - relocations[i - 1] < 8) {
            fail("relocations at %#x overlap", (unsigned)relocations[i]);
        }
    }
}

/* Stores the addresses as they are in an image at 0, as image_relocate takes them, and lists where
 * they are. */
static void read_relocations(const struct elf *elf, struct image *image)
{
    image->relocations = allocate(elf->size / sizeof(Elf64_Rela) * sizeof(uint32_t));
    for (unsigned i = 1; i < elf->header.e_shnum; i++) {
        const Elf64_Shdr section = elf_section(elf, i);

        if ((section.sh_flags & SHF_ALLOC) == 0) {
            continue;
        }
        if (section.sh_type == SHT_REL || section.sh_type == SHT_RELR) {
            fail("section %s: relocations without addend or packed ones are not supported",
                 elf_section_name(elf, &section));
        }
        if (section.sh_type != SHT_RELA) {
            continue;
        }
        const uint8_t *entries = elf_contents(elf, &section);

        for (size_t k = 0; k < section.sh_size / sizeof(Elf64_Rela); k++) {
            Elf64_Rela entry;

            memcpy(&entry, entries + k * sizeof(entry), sizeof(entry));
            relocate(image, &entry);
        }
    }
    sort_relocations(image);
}

/* ---- what is packed ---- */

/* Seven bits a byte, as most distances need no more than two: what packs best. */
static void append_uleb128(struct buffer *to, uint32_t value)
{
    for (; value >= 0x80; value >>= 7) {
        append_number(to, (value & 0x7f) | 0x80, 1);
    }
    append_number(to, value, 1);
}

/* The table that kernel/cpu/symbols.c reads. */
static void append_symbols(const struct elf *elf, const struct image *image, struct buffer *to)
{
    size_t count;
    struct elf_function *functions =
        elf_functions(elf, image->sections[REGION_BOOT].start, image->code_end, &count);
    uint32_t address = 0;

    append_number(to, count, 4);
    for (size_t i = 0; i < count; i++) {
        append_uleb128(to, functions[i].address - address);
        address = functions[i].address;
    }
    for (size_t i = 0; i < count; i++) {
        append(to, functions[i].name, strlen(functions[i].name) + 1);
    }
    free(functions);
}

static void append_relocations(const struct image *image, struct buffer *to)
{
    uint32_t address = 0;

    for (size_t i = 0; i < image->relocation_count; i++) {
        append_number(to, image->relocations[i] - address, 4);
        address = image->relocations[i];
    }
}

/* Where something that mkefi fills in is, as a linker script's symbol says. */
static uint8_t *room(const struct elf *elf, const struct image *image, const char *symbol,
                     enum region region)
{
    const struct section *section = &image->sections[region];
    const uint32_t at = elf_symbol(elf, symbol);

    if (at < section->start || at + sizeof(struct packed_location) > section->end) {
        fail("symbol %s is not in %s", symbol, pe_name(region));
    }
    return image->memory + at;
}

/* What is linked, the table of symbols, the relocations. */
static void gather_kernel(const struct elf *elf, struct image *image)
{
    struct section *section = &image->sections[REGION_KERNEL];

    store(room(elf, image, "image_symbols_rva", REGION_KERNEL), section->end, 4);
    append(&image->kernel, image->memory + section->start, section->end - section->start);
    append_symbols(elf, image, &image->kernel);
    append_relocations(image, &image->kernel);
}

/* Unpacks what was packed, as boot/ does, and compares. */
static void check_packed(const struct image *image, const struct buffer *packed)
{
    const struct section *kernel = &image->sections[REGION_KERNEL];
    uint8_t *memory = allocate(kernel->end);
    uint8_t *unpacked = memory + kernel->start;
    struct packed_header header;

    if (!image_unpack(packed->data, packed->size, unpacked, kernel->end - kernel->start, &header) ||
        memcmp(unpacked, image->kernel.data, image->kernel.size) != 0 ||
        !image_relocate(&header, memory, kernel->start, 0)) {
        fail("what was packed does not unpack to the same (an error of mkefi)");
    }
    free(memory);
}

static struct buffer pack_kernel(const struct elf *elf, struct image *image)
{
    struct section *section = &image->sections[REGION_KERNEL];
    struct packed_header header = {
        .entry = elf_symbol(elf, "boot_continue"),
        .size = (uint32_t)image->kernel.size,
        .code_size = image->code_end - section->start,
        .relocation_count = (uint32_t)image->relocation_count,
    };
    struct buffer packed = {0};

    packed.data = image_pack(&header, image->kernel.data, &packed.size);
    if (packed.data == NULL) {
        fail("liblzma does not pack it (out of memory?)");
    }
    section->end = section->start + (uint32_t)packed_room(&header);
    check_packed(image, &packed);
    return packed;
}

/* Appends a section, on the page border after the one before it. */
static void add_section(struct section *section, const struct buffer *from)
{
    section->start = align_up(section[-1].end, PAGE);
    section->end = section->start + (uint32_t)from->size;
    section->raw = (uint32_t)from->size;
    section->bytes = from->data;
}

static struct buffer build(const struct elf *elf, struct image *image)
{
    struct section *sections = image->sections;
    const struct section *boot = &sections[REGION_BOOT];

    gather_kernel(elf, image);
    struct buffer packed = pack_kernel(elf, image);
    struct buffer reloc = pe_no_relocations();
    uint8_t *location = room(elf, image, "image_packed_location", REGION_BOOT);

    add_section(&sections[REGION_PACKED], &packed);
    add_section(&sections[REGION_RELOC], &reloc);
    store(location, sections[REGION_PACKED].start, 4);
    store(location + 4, packed.size, 4);
    set_contents(&sections[REGION_BOOT], image->memory + boot->start);
    if (elf->header.e_entry < boot->start || elf->header.e_entry >= boot->end) {
        fail("the entry point is not in %s", pe_name(REGION_BOOT));
    }
    const struct buffer file = pe_build(sections, (uint32_t)elf->header.e_entry);

    free(packed.data);
    free(reloc.data);
    return file;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: mkefi IN.elf OUT.efi\n");
        return 2;
    }
    struct image image = {0};
    struct buffer input = read_file(argv[1]);
    const struct elf elf = elf_open(&input);

    load_sections(&elf, &image);
    check_relocatable(&elf);
    read_relocations(&elf, &image);
    struct buffer output = build(&elf, &image);

    write_file(argv[2], &output);
    free(output.data);
    free(image.kernel.data);
    free(image.relocations);
    free(image.memory);
    free(input.data);
    return 0;
}
