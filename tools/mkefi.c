// SPDX-License-Identifier: BSD-2-Clause
//
// mkefi IN.elf OUT.efi
//
// Turns the image, an ELF64 file linked position-independent at 0 by linker.ld, into the PE32+
// file that UEFI firmware loads: page-aligned sections that are either writable or executable,
// base relocations from the ELF's own, and a table of the functions' names for back-traces.
// The same input gives the same output, byte for byte. An RVA is an address relative to the
// image's start, which here equals the ELF's virtual address.

#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAGE = 4096,
    FILE_ALIGNMENT = 512,
    // QEMU's -kernel reads byte 1f1h as the size of a Linux set-up block. With the headers
    // behind it that byte is always 0, whatever the sections' sizes are.
    PE_OFFSET = 0x200,
    COFF_SIZE = 20,
    OPTIONAL_SIZE = 240,
    SECTION_SIZE = 40,
    CHECKSUM_OFFSET = PE_OFFSET + 4 + COFF_SIZE + 64,
};

enum {
    SCN_CODE = 0x00000020,
    SCN_DATA = 0x00000040,
    SCN_DISCARDABLE = 0x02000000,
    SCN_EXECUTE = 0x20000000,
    SCN_READ = 0x40000000,
};
#define SCN_WRITE 0x80000000u

#define IMAGE_MAX (64u << 20) // as in linker.ld

enum region { TEXT, RODATA, DATA, SYMBOLS, RELOC, REGIONS, LEFT_OUT = REGIONS };

// One PE section. Bytes [start, start + raw) come from the file, up to end follow zeroes.
struct section {
    const char *name;
    uint32_t flags;
    uint32_t start, end; // RVAs
    uint32_t raw;
    const uint8_t *bytes;
    uint32_t file_offset;
};

static const struct section pe_sections[REGIONS] = {
    [TEXT] = {".text", SCN_CODE | SCN_EXECUTE | SCN_READ},
    [RODATA] = {".rodata", SCN_DATA | SCN_READ},
    [DATA] = {".data", SCN_DATA | SCN_READ | SCN_WRITE},
    [SYMBOLS] = {".symbols", SCN_DATA | SCN_READ},
    [RELOC] = {".reloc", SCN_DATA | SCN_DISCARDABLE | SCN_READ},
};

struct buffer {
    uint8_t *data;
    size_t size, capacity;
};

struct elf {
    const uint8_t *data;
    size_t size;
    Elf64_Ehdr header;
    const char *names;
    size_t names_size;
};

struct image {
    struct section sections[REGIONS];
    uint8_t *memory; // text, rodata and data, at their RVAs
    uint32_t *relocations;
    size_t relocation_count;
    struct buffer symbols, reloc;
};

static const char *input_name;

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "mkefi: %s: ", input_name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static void *allocate(size_t size)
{
    void *memory = calloc(1, size ? size : 1);
    if (!memory) {
        fail("out of memory");
    }
    return memory;
}

static uint32_t align_up(uint32_t value, uint32_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

static void store(uint8_t *at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static void append(struct buffer *buffer, const void *data, size_t size)
{
    if (buffer->size + size > buffer->capacity) {
        buffer->capacity = 2 * (buffer->size + size);
        buffer->data = realloc(buffer->data, buffer->capacity);
        if (!buffer->data) {
            fail("out of memory");
        }
    }
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
}

static void append_number(struct buffer *buffer, uint64_t value, unsigned size)
{
    uint8_t bytes[8];
    store(bytes, value, size);
    append(buffer, bytes, size);
}

// ---------------------------------------------------------------------------------------------
// Reading the ELF file

static struct buffer read_file(const char *name)
{
    struct buffer buffer = {0};
    uint8_t block[65536];
    FILE *file = fopen(name, "rb");
    if (!file) {
        fail("%s", strerror(errno));
    }
    for (size_t size; (size = fread(block, 1, sizeof block, file)) > 0;) {
        append(&buffer, block, size);
    }
    if (ferror(file)) {
        fail("%s", strerror(errno));
    }
    fclose(file);
    return buffer;
}

static Elf64_Shdr section_header(const struct elf *elf, unsigned index)
{
    Elf64_Shdr section;
    memcpy(&section, elf->data + elf->header.e_shoff + (uint64_t)index * sizeof section,
           sizeof section);
    return section;
}

static const char *section_name(const struct elf *elf, const Elf64_Shdr *section)
{
    if (section->sh_name >= elf->names_size) {
        fail("broken: a section's name lies outside the name table");
    }
    return elf->names + section->sh_name;
}

// The contents of a section that has some in the file.
static const uint8_t *contents(const struct elf *elf, const Elf64_Shdr *section)
{
    if (section->sh_offset > elf->size || section->sh_size > elf->size - section->sh_offset) {
        fail("broken: a section's contents lie outside the file");
    }
    return elf->data + section->sh_offset;
}

// A string table: not empty, and ending with a NUL, so that every index in it is a string.
static const char *string_table(const struct elf *elf, unsigned index, size_t *size)
{
    if (index >= elf->header.e_shnum) {
        fail("broken: no string table %u", index);
    }
    Elf64_Shdr section = section_header(elf, index);
    const char *strings = (const char *)contents(elf, &section);
    *size = section.sh_size;
    if (section.sh_type != SHT_STRTAB || *size == 0 || strings[*size - 1] != '\0') {
        fail("broken: section %u is no string table", index);
    }
    return strings;
}

static struct elf open_elf(struct buffer file)
{
    struct elf elf = {.data = file.data, .size = file.size};
    Elf64_Ehdr *header = &elf.header;

    if (file.size < sizeof *header || memcmp(file.data, ELFMAG, SELFMAG) != 0) {
        fail("not an ELF file");
    }
    memcpy(header, file.data, sizeof *header);
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != EM_X86_64) {
        fail("not an x86-64 ELF file");
    }
    if (header->e_type != ET_DYN && header->e_type != ET_EXEC) {
        fail("not linked");
    }
    uint64_t size = (uint64_t)header->e_shnum * sizeof(Elf64_Shdr);
    if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shnum == 0 ||
        header->e_shoff > elf.size || size > elf.size - header->e_shoff) {
        fail("broken: bad section table");
    }
    elf.names = string_table(&elf, header->e_shstrndx, &elf.names_size);
    return elf;
}

// ---------------------------------------------------------------------------------------------
// Sections

// The sections that linker.ld makes, in order of address.
static enum region region_of(const char *name, uint64_t address)
{
    static const struct {
        const char *name;
        enum region region;
    } known[] = {
        {".text", TEXT},     {".rodata", RODATA},     {".data", DATA},       {".dynamic", DATA},
        {".bss", DATA},      {".rela.dyn", LEFT_OUT}, {".dynsym", LEFT_OUT}, {".dynstr", LEFT_OUT},
        {".hash", LEFT_OUT}, {".gnu.hash", LEFT_OUT},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i].name) == 0) {
            return known[i].region;
        }
    }
    fail("section %s at %#lx has no place in the image; see linker.ld", name, (long)address);
}

// Extends a PE section by an ELF section that lies behind what it has so far.
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
    if (from->sh_type != SHT_NOBITS) {
        to->raw = to->end - to->start;
    }
}

static void check_layout(const struct section *sections)
{
    uint32_t end = PAGE; // the headers' page
    for (enum region i = TEXT; i <= DATA; i++) {
        if (sections[i].end == 0) {
            fail("no section %s", sections[i].name);
        }
        if (sections[i].start % PAGE != 0) {
            fail("section %s does not start on a page border", sections[i].name);
        }
        if (sections[i].start < end) {
            fail("section %s overlaps what is before it", sections[i].name);
        }
        end = sections[i].end;
    }
}

static void load_sections(const struct elf *elf, struct image *image)
{
    struct section *sections = image->sections;
    image->memory = allocate(IMAGE_MAX);
    for (unsigned i = 1; i < elf->header.e_shnum; i++) {
        Elf64_Shdr section = section_header(elf, i);
        if (!(section.sh_flags & SHF_ALLOC) || section.sh_size == 0) {
            continue;
        }
        const char *name = section_name(elf, &section);
        enum region region = region_of(name, section.sh_addr);
        if (region == LEFT_OUT) {
            continue;
        }
        place(&sections[region], &section, name);
        if (section.sh_type != SHT_NOBITS) {
            memcpy(image->memory + section.sh_addr, contents(elf, &section), section.sh_size);
        }
    }
    check_layout(sections);
    for (enum region i = TEXT; i <= DATA; i++) {
        sections[i].bytes = image->memory + sections[i].start;
    }
}

// Whether the linker made the file position-independent. The ELF type does not tell: ld writes
// ET_EXEC when the first segment is not at 0, where linker.ld leaves room for the headers.
static bool is_relocatable(const uint8_t *dynamic, size_t size)
{
    for (size_t i = 0; i + sizeof(Elf64_Dyn) <= size; i += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        memcpy(&entry, dynamic + i, sizeof entry);
        if (entry.d_tag == DT_FLAGS_1) {
            return (entry.d_un.d_val & DF_1_PIE) != 0;
        }
    }
    return false;
}

// crt0 calls gnu-efi's _relocate, which would apply the ELF relocations that .dynamic names. By
// then firmware has applied the PE base relocations, and they must not be applied twice: with
// an empty .dynamic _relocate finds nothing to do.
static void empty_dynamic(const struct elf *elf, struct image *image)
{
    for (unsigned i = 1; i < elf->header.e_shnum; i++) {
        Elf64_Shdr section = section_header(elf, i);
        if ((section.sh_flags & SHF_ALLOC) && section.sh_type == SHT_DYNAMIC) {
            uint8_t *dynamic = image->memory + section.sh_addr;
            if (!is_relocatable(dynamic, section.sh_size)) {
                break;
            }
            memset(dynamic, 0, section.sh_size); // DT_NULL is 0
            return;
        }
    }
    fail("not position-independent (link with -pie)");
}

// ---------------------------------------------------------------------------------------------
// Relocations

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
    const struct section *data = &image->sections[DATA];
    uint64_t type = ELF64_R_TYPE(entry->r_info);
    uint64_t at = entry->r_offset;

    if (type == R_X86_64_NONE) {
        return;
    }
    if (type != R_X86_64_RELATIVE) {
        fail("relocation of type %lu, %s, at %#lx; only R_X86_64_RELATIVE is supported",
             (unsigned long)type, relocation_type(type), (unsigned long)at);
    }
    if (at < data->start || at > data->start + data->raw || data->start + data->raw - at < 8) {
        fail("relocation at %#lx, outside the writable data", (unsigned long)at);
    }
    if (entry->r_addend < 0 || entry->r_addend > data->end) {
        fail("relocation at %#lx points to %#lx, outside the image", (unsigned long)at,
             (unsigned long)entry->r_addend);
    }
    store(image->memory + at, (uint64_t)entry->r_addend, 8);
    image->relocations[image->relocation_count++] = (uint32_t)at;
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static void apply_relocations(const struct elf *elf, struct image *image)
{
    image->relocations = allocate(elf->size / sizeof(Elf64_Rela) * sizeof(uint32_t));
    for (unsigned i = 1; i < elf->header.e_shnum; i++) {
        Elf64_Shdr section = section_header(elf, i);
        if (!(section.sh_flags & SHF_ALLOC)) {
            continue;
        }
        if (section.sh_type == SHT_REL || section.sh_type == SHT_RELR) {
            fail("section %s: relocations without addend or packed ones are not supported",
                 section_name(elf, &section));
        }
        if (section.sh_type != SHT_RELA) {
            continue;
        }
        const uint8_t *entries = contents(elf, &section);
        for (size_t k = 0; k < section.sh_size / sizeof(Elf64_Rela); k++) {
            Elf64_Rela entry;
            memcpy(&entry, entries + k * sizeof entry, sizeof entry);
            relocate(image, &entry);
        }
    }
    qsort(image->relocations, image->relocation_count, sizeof(uint32_t), compare_numbers);
    for (size_t i = 1; i < image->relocation_count; i++) {
        if (image->relocations[i] - image->relocations[i - 1] < 8) {
            fail("relocations at %#x overlap", (unsigned)image->relocations[i]);
        }
    }
}

// Base relocations: for each page a block of its RVA, the block's size, and 16-bit entries of
// type 10 (64-bit) and offset. Never empty, for some loaders take that as "cannot be moved".
static void build_reloc(struct image *image)
{
    struct buffer *reloc = &image->reloc;
    size_t next = 0;
    do {
        size_t block = reloc->size;
        uint32_t page = next < image->relocation_count ? image->relocations[next] / PAGE : 1;
        append_number(reloc, (uint64_t)page * PAGE, 4);
        append_number(reloc, 0, 4);
        while (next < image->relocation_count && image->relocations[next] / PAGE == page) {
            append_number(reloc, 10 << 12 | image->relocations[next++] % PAGE, 2);
        }
        while (reloc->size % 4 != 0 || reloc->size == block + 8) {
            append_number(reloc, 0, 2); // type 0: padding
        }
        store(reloc->data + block + 4, reloc->size - block, 4);
    } while (next < image->relocation_count);
}

// ---------------------------------------------------------------------------------------------
// Symbols

struct symbol {
    uint32_t address;
    const char *name;
};

static int compare_symbols(const void *a, const void *b)
{
    const struct symbol *left = a, *right = b;
    if (left->address != right->address) {
        return left->address < right->address ? -1 : 1;
    }
    return strcmp(left->name, right->name);
}

static Elf64_Shdr find_symbol_table(const struct elf *elf)
{
    for (unsigned i = 1; i < elf->header.e_shnum; i++) {
        Elf64_Shdr section = section_header(elf, i);
        if (section.sh_type == SHT_SYMTAB) {
            return section;
        }
    }
    fail("no symbol table (stripped?)");
}

// Where the image wants to be told of its symbol table: the RVA of symbol_table_location.
static uint32_t location_address(const struct section *data, const Elf64_Sym *symbol)
{
    if (symbol->st_size != 8) {
        fail("symbol_table_location has %lu bytes, not 8", (unsigned long)symbol->st_size);
    }
    if (symbol->st_value < data->start || symbol->st_value + 8 > data->start + data->raw) {
        fail("symbol_table_location is not in .data (put it there by a section attribute)");
    }
    return (uint32_t)symbol->st_value;
}

// Lists the functions, in order of address, and finds symbol_table_location.
static struct symbol *list_functions(const struct elf *elf, const struct image *image,
                                     size_t *count, uint32_t *location)
{
    const struct section *text = &image->sections[TEXT];
    size_t names_size;
    Elf64_Shdr table = find_symbol_table(elf);
    const char *names = string_table(elf, table.sh_link, &names_size);
    const uint8_t *entries = contents(elf, &table);
    size_t total = table.sh_size / sizeof(Elf64_Sym);
    struct symbol *functions = allocate(total * sizeof *functions);

    *count = 0;
    for (size_t i = 0; i < total; i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, entries + i * sizeof symbol, sizeof symbol);
        if (symbol.st_name >= names_size) {
            fail("broken: a symbol's name lies outside the name table");
        }
        const char *name = names + symbol.st_name;
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
            symbol.st_value >= text->start && symbol.st_value < text->end) {
            functions[(*count)++] = (struct symbol){(uint32_t)symbol.st_value, name};
        } else if (strcmp(name, "symbol_table_location") == 0) {
            *location = location_address(&image->sections[DATA], &symbol);
        }
    }
    qsort(functions, *count, sizeof *functions, compare_symbols);
    return functions;
}

// The .symbols section: a count, then for each function, in order of address, its distance from the
// one before it (16 bits) and its name. Returns the RVA of symbol_table_location.
static uint32_t build_symbols(const struct elf *elf, struct image *image)
{
    uint32_t location = 0;
    size_t count;
    struct symbol *functions = list_functions(elf, image, &count, &location);
    uint32_t address = 0;
    if (location == 0) {
        fail("no symbol symbol_table_location");
    }

    append_number(&image->symbols, count, 4);
    for (size_t i = 0; i < count; i++) {
        if (functions[i].address - address > UINT16_MAX) {
            fail("no function within 64 KiB before %s", functions[i].name);
        }
        append_number(&image->symbols, functions[i].address - address, 2);
        append(&image->symbols, functions[i].name, strlen(functions[i].name) + 1);
        address = functions[i].address;
    }
    free(functions);
    return location;
}

// ---------------------------------------------------------------------------------------------
// Writing the PE file

// Appends a section that mkefi itself made, on the page border after the one before it.
static void add_section(struct image *image, enum region region, const struct buffer *from)
{
    struct section *section = &image->sections[region];
    section->start = align_up(image->sections[region - 1].end, PAGE);
    section->end = section->start + (uint32_t)from->size;
    section->raw = (uint32_t)from->size;
    section->bytes = from->data;
}

// Zeroes at the end of a section need no place in the file: whoever loads it fills them in.
static void drop_trailing_zeroes(struct section *section)
{
    while (section->raw > 0 && section->bytes[section->raw - 1] == 0) {
        section->raw--;
    }
}

static void assign_file_offsets(struct section *sections)
{
    uint32_t offset = PE_OFFSET + 4 + COFF_SIZE + OPTIONAL_SIZE + REGIONS * SECTION_SIZE;
    for (enum region i = TEXT; i < REGIONS; i++) {
        offset = align_up(offset, FILE_ALIGNMENT);
        if (i <= DATA) {
            drop_trailing_zeroes(&sections[i]);
        }
        sections[i].file_offset = offset;
        offset += sections[i].raw;
    }
}

static void put_coff_header(uint8_t *at)
{
    store(at, 0x4550, 4);     // "PE"
    store(at + 4, 0x8664, 2); // machine: x86-64
    store(at + 6, REGIONS, 2);
    store(at + 20, OPTIONAL_SIZE, 2);
    store(at + 22, 0x0222, 2); // executable, large addresses, no debug information
}

static void put_optional_header(uint8_t *at, const struct section *sections, uint32_t entry)
{
    uint32_t data_size = 0;
    for (enum region i = RODATA; i < REGIONS; i++) {
        data_size += align_up(sections[i].raw, FILE_ALIGNMENT);
    }
    store(at, 0x20b, 2); // PE32+
    store(at + 4, align_up(sections[TEXT].raw, FILE_ALIGNMENT), 4);
    store(at + 8, data_size, 4);
    store(at + 16, entry, 4);
    store(at + 20, sections[TEXT].start, 4);
    store(at + 24, 0, 8); // preferred address: any
    store(at + 32, PAGE, 4);
    store(at + 36, FILE_ALIGNMENT, 4);
    store(at + 56, align_up(sections[RELOC].end, PAGE), 4);
    store(at + 60, sections[TEXT].file_offset, 4);
    store(at + 68, 10, 2);     // subsystem: EFI application
    store(at + 70, 0x0160, 2); // NX compatible, dynamic base, high-entropy addresses
    store(at + 108, 16, 4);    // data directories, of which number 5 is the base relocations
    store(at + 112 + 5 * 8, sections[RELOC].start, 4);
    store(at + 112 + 5 * 8 + 4, sections[RELOC].raw, 4);
}

static void put_section_header(uint8_t *at, const struct section *section)
{
    memcpy(at, section->name, strlen(section->name)); // of 8 bytes; NUL only if shorter
    store(at + 8, section->end - section->start, 4);
    store(at + 12, section->start, 4);
    store(at + 16, align_up(section->raw, FILE_ALIGNMENT), 4);
    store(at + 20, section->file_offset, 4);
    store(at + 36, section->flags, 4);
}

// The PE checksum: the file's 16-bit words added with end-around carry, plus its size.
static uint32_t checksum(const uint8_t *file, uint32_t size)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < size; i += 2) {
        sum += file[i] | (uint32_t)file[i + 1] << 8;
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum + size;
}

static struct buffer build_file(struct image *image, uint32_t entry)
{
    struct section *sections = image->sections;
    assign_file_offsets(sections);

    struct buffer file = {0};
    file.size = align_up(sections[RELOC].file_offset + sections[RELOC].raw, FILE_ALIGNMENT);
    file.data = allocate(file.size);
    memcpy(file.data, "MZ", 2);
    store(file.data + 60, PE_OFFSET, 4);
    uint8_t *header = file.data + PE_OFFSET;
    put_coff_header(header);
    header += 4 + COFF_SIZE;
    put_optional_header(header, sections, entry);
    header += OPTIONAL_SIZE;
    for (enum region i = TEXT; i < REGIONS; i++, header += SECTION_SIZE) {
        put_section_header(header, &sections[i]);
        memcpy(file.data + sections[i].file_offset, sections[i].bytes, sections[i].raw);
    }
    store(file.data + CHECKSUM_OFFSET, checksum(file.data, (uint32_t)file.size), 4);
    return file;
}

// Writes under another name first, so that the output is there whole or not at all.
static void write_file(const char *name, struct buffer buffer)
{
    size_t size = strlen(name) + sizeof ".tmp";
    char *temporary = allocate(size);
    snprintf(temporary, size, "%s.tmp", name);

    input_name = temporary;
    FILE *file = fopen(temporary, "wb");
    if (!file) {
        fail("%s", strerror(errno));
    }
    bool written = fwrite(buffer.data, 1, buffer.size, file) == buffer.size;
    written = fclose(file) == 0 && written;
    if (!written || rename(temporary, name) != 0) {
        int error = errno;
        remove(temporary);
        fail("%s", strerror(error));
    }
    free(temporary);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: mkefi IN.elf OUT.efi\n");
        return 2;
    }
    struct image image = {0};
    struct section *sections = image.sections;
    memcpy(sections, pe_sections, sizeof pe_sections);

    input_name = argv[1];
    struct buffer input = read_file(argv[1]);
    struct elf elf = open_elf(input);
    load_sections(&elf, &image);
    if (elf.header.e_entry < sections[TEXT].start || elf.header.e_entry >= sections[TEXT].end) {
        fail("the entry point is not in .text");
    }
    empty_dynamic(&elf, &image);
    apply_relocations(&elf, &image);

    uint32_t location = build_symbols(&elf, &image);
    add_section(&image, SYMBOLS, &image.symbols);
    store(image.memory + location, sections[SYMBOLS].start, 4);
    store(image.memory + location + 4, sections[SYMBOLS].raw, 4);

    build_reloc(&image);
    add_section(&image, RELOC, &image.reloc);
    struct buffer output = build_file(&image, (uint32_t)elf.header.e_entry);
    write_file(argv[2], output);

    free(output.data);
    free(image.symbols.data);
    free(image.reloc.data);
    free(image.relocations);
    free(image.memory);
    free(input.data);
    return 0;
}
