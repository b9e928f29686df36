/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/efi/mkefi_pe.h"

#include <string.h>

enum {
    FILE_ALIGNMENT = 512,
    /* QEMU's -kernel reads byte 1f1h as the size of a Linux set-up block. With the headers behind
     * it that byte is always 0, whatever the sections' sizes are. */
    PE_OFFSET = 0x200,
    COFF_SIZE = 20,
    OPTIONAL_SIZE = 240,
    SECTION_SIZE = 40,
    NAME_SIZE = 8,
    HEADERS_SIZE = PE_OFFSET + 4 + COFF_SIZE + OPTIONAL_SIZE + REGIONS * SECTION_SIZE,
    CHECKSUM_OFFSET = PE_OFFSET + 4 + COFF_SIZE + 64,
};

enum {
    SCN_CODE = 0x00000020,
    SCN_DATA = 0x00000040,
    SCN_ZEROES = 0x00000080,
    SCN_DISCARDABLE = 0x02000000,
    SCN_EXECUTE = 0x20000000,
    SCN_READ = 0x40000000,
};
#define SCN_WRITE 0x80000000u

static const struct {
    const char *name;
    uint32_t flags;
} kinds[REGIONS] = {
    [REGION_BSS] = {".bss", SCN_ZEROES | SCN_READ | SCN_WRITE},
    [REGION_BOOT] = {".boot", SCN_CODE | SCN_EXECUTE | SCN_READ},
    [REGION_KERNEL] = {".kernel", SCN_ZEROES | SCN_READ | SCN_WRITE},
    [REGION_PACKED] = {".packed", SCN_DATA | SCN_READ},
    [REGION_RELOC] = {".reloc", SCN_DATA | SCN_DISCARDABLE | SCN_READ},
};

const char *pe_name(enum region region)
{
    return kinds[region].name;
}

struct buffer pe_no_relocations(void)
{
    struct buffer reloc = {0};

    append_number(&reloc, PAGE, 4);
    append_number(&reloc, 12, 4); /* bytes of this block */
    append_number(&reloc, 0, 4);  /* two entries of type 0: padding */
    return reloc;
}

static void assign_file_offsets(const struct section *sections, uint32_t offsets[REGIONS + 1])
{
    uint32_t offset = HEADERS_SIZE;

    for (enum region i = 0; i < REGIONS; i++) {
        offset = align_up(offset, FILE_ALIGNMENT);
        offsets[i] = offset;
        offset += sections[i].raw;
    }
    offsets[REGIONS] = align_up(offset, FILE_ALIGNMENT);
}

static void put_coff_header(uint8_t *at)
{
    store(at, 0x4550, 4);     /* "PE" */
    store(at + 4, 0x8664, 2); /* machine: x86-64 */
    store(at + 6, REGIONS, 2);
    store(at + 20, OPTIONAL_SIZE, 2);
    store(at + 22, 0x0222, 2); /* executable, large addresses, no debug information */
}

/* Bytes of all sections of a kind: in memory if they are zeroes, else in the file. */
static uint32_t total(const struct section *sections, uint32_t kind)
{
    uint32_t bytes = 0;

    for (enum region i = 0; i < REGIONS; i++) {
        if ((kinds[i].flags & kind) != 0) {
            bytes +=
                align_up(kind == SCN_ZEROES ? sections[i].end - sections[i].start : sections[i].raw,
                         FILE_ALIGNMENT);
        }
    }
    return bytes;
}

static void put_optional_header(uint8_t *at, const struct section *sections, uint32_t headers,
                                uint32_t entry)
{
    const struct section *reloc = &sections[REGION_RELOC];

    store(at, 0x20b, 2); /* PE32+ */
    store(at + 4, total(sections, SCN_CODE), 4);
    store(at + 8, total(sections, SCN_DATA), 4);
    store(at + 12, total(sections, SCN_ZEROES), 4);
    store(at + 16, entry, 4);
    store(at + 20, sections[REGION_BOOT].start, 4);
    store(at + 24, 0, 8); /* preferred address: any */
    store(at + 32, PAGE, 4);
    store(at + 36, FILE_ALIGNMENT, 4);
    store(at + 56, align_up(reloc->end, PAGE), 4);
    store(at + 60, headers, 4);
    store(at + 68, 10, 2);     /* subsystem: EFI application */
    store(at + 70, 0x0160, 2); /* NX compatible, dynamic base, high-entropy addresses */
    store(at + 108, 16, 4);    /* data directories, of which number 5 is the base relocations */
    store(at + 112 + 5 * 8, reloc->start, 4);
    store(at + 112 + 5 * 8 + 4, reloc->raw, 4);
}

static void put_section_header(uint8_t *at, enum region region, const struct section *section,
                               uint32_t offset)
{
    const size_t length = strlen(kinds[region].name);

    memcpy(at, kinds[region].name, length < NAME_SIZE ? length : NAME_SIZE);
    store(at + 8, section->end - section->start, 4);
    store(at + 12, section->start, 4);
    store(at + 16, align_up(section->raw, FILE_ALIGNMENT), 4);
    store(at + 20, section->raw != 0 ? offset : 0, 4);
    store(at + 36, kinds[region].flags, 4);
}

/* The file's 16-bit words added with end-around carry, plus its size. */
static uint32_t checksum(const uint8_t *file, uint32_t size)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < size; i += 2) {
        sum += file[i] | (uint32_t)file[i + 1] << 8;
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum + size;
}

struct buffer pe_build(const struct section sections[REGIONS], uint32_t entry)
{
    uint32_t offsets[REGIONS + 1];
    struct buffer file = {0};

    assign_file_offsets(sections, offsets);
    file.size = offsets[REGIONS];
    file.data = allocate(file.size);
    memcpy(file.data, "MZ", 2);
    store(file.data + 60, PE_OFFSET, 4);
    uint8_t *header = file.data + PE_OFFSET;

    put_coff_header(header);
    header += 4 + COFF_SIZE;
    put_optional_header(header, sections, offsets[0], entry);
    header += OPTIONAL_SIZE;
    for (enum region i = 0; i < REGIONS; i++, header += SECTION_SIZE) {
        put_section_header(header, i, &sections[i], offsets[i]);
        if (sections[i].raw != 0) {
            memcpy(file.data + offsets[i], sections[i].bytes, sections[i].raw);
        }
    }
    store(file.data + CHECKSUM_OFFSET, checksum(file.data, (uint32_t)file.size), 4);
    return file;
}
