/* SPDX-License-Identifier: BSD-2-Clause */
/* Each line is tried as every form, as collections mix them with
 * notes. A table of which a line is missing keeps what came, and our parser refuses its checksum.
 */
#include "tools/tests/field/dump_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

#define LINE_MAX_BYTES 512
#define PAGE           4096ull
#define SP_ATTRIBUTE   0x40000ull
#define ROW_BYTES      16

static void add_byte(struct dump *dump, uint8_t byte)
{
    dump->bytes = alloc_append(dump->bytes, &dump->byte_count, &dump->byte_capacity, 1);
    dump->bytes[dump->byte_count - 1] = byte;
    dump->tables[dump->table_count - 1].length++;
}

/* "FACP @ 0x0000000000000000" */
static bool read_table_head(struct dump *dump, const char *line)
{
    for (unsigned i = 0; i < 4; i++) {
        if (!isupper((unsigned char)line[i]) && !isdigit((unsigned char)line[i]) &&
            line[i] != '_' && line[i] != '!') {
            return false;
        }
    }
    if (strncmp(line + 4, " @ 0x", 5) != 0) {
        return false;
    }
    dump->tables = alloc_append(dump->tables, &dump->table_count, &dump->table_capacity,
                                sizeof(*dump->tables));
    dump->tables[dump->table_count - 1] = (struct dump_table){dump->byte_count, 0};
    return true;
}

static int hex_pair(const char *text)
{
    char pair[3] = {text[0], text[0] != '\0' ? text[1] : '\0', '\0'};

    return isxdigit((unsigned char)pair[0]) && isxdigit((unsigned char)pair[1])
               ? (int)strtoul(pair, NULL, 16)
               : -1;
}

/* "    0010: 50 00 ...  text": at most 16 pairs, each behind a blank. */
static bool read_table_row(struct dump *dump, const char *line)
{
    const char *at = line + strspn(line, " \t");
    const size_t digits = strspn(at, "0123456789ABCDEFabcdef");

    if (dump->table_count == 0 || digits < 4 || at[digits] != ':' || at == line) {
        return false;
    }
    at += digits + 1;
    for (unsigned i = 0; i < ROW_BYTES && at[0] == ' ' && hex_pair(at + 1) >= 0; i++, at += 3) {
        add_byte(dump, (uint8_t)hex_pair(at + 1));
    }
    return true;
}

static void add_leaf(struct dump *dump, uint32_t leaf, uint32_t subleaf,
                     const struct cpuid_result *result)
{
    dump->leaves =
        alloc_append(dump->leaves, &dump->leaf_count, &dump->leaf_capacity, sizeof(*dump->leaves));
    dump->leaves[dump->leaf_count - 1] =
        (struct dump_leaf){dump->processors > 0 ? dump->processors - 1 : 0, leaf, subleaf, *result};
}

/* "CPUID 00000004: 7C004121-01C0003F-0000003F-00000000 [SL 01]", as InstLatx64 has it;
 * "   0x00000004 0x01: eax=0x... ebx=0x... ecx=0x... edx=0x...", as cpuid -r prints it. */
static bool read_leaf(struct dump *dump, const char *line)
{
    struct cpuid_result r;
    uint32_t leaf;
    uint32_t subleaf = 0;

    if (sscanf(line, "CPUID %8" SCNx32 ": %8" SCNx32 "-%8" SCNx32 "-%8" SCNx32 "-%8" SCNx32, &leaf,
               &r.eax, &r.ebx, &r.ecx, &r.edx) == 5) {
        const char *mark = strstr(line, "[SL ");

        if (mark != NULL && sscanf(mark, "[SL %8" SCNx32 "]", &subleaf) != 1) {
            return false;
        }
        add_leaf(dump, leaf, subleaf, &r);
        return true;
    }
    if (sscanf(line,
               " 0x%8" SCNx32 " 0x%8" SCNx32 ": eax=0x%8" SCNx32 " ebx=0x%8" SCNx32
               " ecx=0x%8" SCNx32 " edx=0x%8" SCNx32,
               &leaf, &subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx) == 6) {
        add_leaf(dump, leaf, subleaf, &r);
        return true;
    }
    return false;
}

/* "CPU 3:", "------[ Logical CPU #3 ]------": numbers may leave gaps. */
static bool read_processor_head(struct dump *dump, const char *line)
{
    unsigned number;
    const char *logical = strstr(line, "[ Logical CPU #");

    if (sscanf(line, "CPU %u:", &number) != 1 &&
        (logical == NULL || sscanf(logical, "[ Logical CPU #%u", &number) != 1)) {
        return false;
    }
    dump->processors++;
    return true;
}

static void add_range(struct dump *dump, uint32_t type, uint64_t start, uint64_t pages,
                      uint64_t attribute)
{
    dump->ranges = alloc_append(dump->ranges, &dump->range_count, &dump->range_capacity,
                                sizeof(*dump->ranges));
    dump->ranges[dump->range_count - 1] = (struct dump_range){type, start, pages, attribute};
}

/* Names of types, as Linux prints them (drivers/firmware/efi, kernel/resource); -1: another. */
static int type_of(const char *name)
{
    static const struct {
        const char *name;
        int type;
    } types[] = {
        {"Reserved", 0},        {"Loader Code", 1},  {"Loader Data", 2},
        {"Boot Code", 3},       {"Boot Data", 4},    {"Runtime Code", 5},
        {"Runtime Data", 6},    {"Conventional", 7}, {"Conventional Memory", 7},
        {"Unusable Memory", 8}, {"ACPI Reclaim", 9}, {"ACPI Mem NVS", 10},
        {"MMIO Port", 12},      {"MMIO", 11},        {"System RAM", 7},
        {"Soft Reserved", 7},   {"ACPI Tables", 9},  {"ACPI Non-volatile Storage", 10},
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (strncmp(name, types[i].name, strlen(types[i].name)) == 0) {
            return types[i].type;
        }
    }
    return -1;
}

/* "efi: mem05: [Conventional Memory|   |SP|...] range=[0x0000000000100000-0x0000000007ffffff]" */
static bool read_linux_range(struct dump *dump, const char *line)
{
    const char *at = strstr(line, "efi: mem");
    const char *name = at != NULL ? strchr(at, '[') : NULL;
    const char *range = name != NULL ? strstr(name, "range=[") : NULL;
    uint64_t first;
    uint64_t last;

    if (range == NULL || type_of(name + 1) < 0 ||
        sscanf(range, "range=[0x%" SCNx64 "-0x%" SCNx64 "]", &first, &last) != 2 || last < first) {
        return false;
    }
    const char *special = strstr(name, "|SP|");

    add_range(dump, (uint32_t)type_of(name + 1), first, (last - first) / PAGE + 1,
              special != NULL && special < range ? SP_ATTRIBUTE : 0);
    return true;
}

/* The two lines of tare host --dump. */
static bool read_dumped_range(struct dump *dump, const char *line)
{
    uint64_t a;
    uint64_t b;
    uint64_t attribute;
    uint32_t type;
    int name = 0;

    if (sscanf(line,
               "runtime phys_addr=0x%" SCNx64 " num_pages=0x%" SCNx64 " type=0x%" SCNx32
               " attribute=0x%" SCNx64,
               &a, &b, &type, &attribute) == 4) {
        add_range(dump, type, a, b, attribute);
        return true;
    }
    if (sscanf(line, "memmap start=0x%" SCNx64 " end=0x%" SCNx64 " type=%n", &a, &b, &name) != 2 ||
        name == 0 || b < a || type_of(line + name) < 0) {
        return false;
    }
    add_range(dump, (uint32_t)type_of(line + name), a, (b - a) / PAGE + 1,
              strncmp(line + name, "Soft", 4) == 0 ? SP_ATTRIBUTE : 0);
    return true;
}

void dump_read(struct dump *dump, const char *text, size_t length)
{
    size_t at = 0;

    *dump = (struct dump){0};
    while (at < length) {
        const char *end = memchr(text + at, '\n', length - at);
        const size_t bytes = end != NULL ? (size_t)(end - (text + at)) : length - at;
        char line[LINE_MAX_BYTES] = {0};

        memcpy(line, text + at, bytes < sizeof(line) - 1 ? bytes : sizeof(line) - 1);
        at += bytes + 1;
        if (!read_table_head(dump, line) && !read_table_row(dump, line) && !read_leaf(dump, line) &&
            !read_processor_head(dump, line) && !read_linux_range(dump, line) &&
            !read_dumped_range(dump, line)) {
            dump->other_lines++;
        }
    }
}

void dump_free(struct dump *dump)
{
    free(dump->bytes);
    free(dump->tables);
    free(dump->leaves);
    free(dump->ranges);
}

struct cpuid_result dump_cpuid(const struct dump *dump, unsigned processor, uint32_t leaf,
                               uint32_t subleaf)
{
    for (size_t i = 0; i < dump->leaf_count; i++) {
        const struct dump_leaf *found = &dump->leaves[i];

        if (found->processor == processor && found->leaf == leaf && found->subleaf == subleaf) {
            return found->result;
        }
    }
    return (struct cpuid_result){0};
}
