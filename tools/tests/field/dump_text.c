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
#define HEX_DIGITS     "0123456789ABCDEFabcdef"

static void add_byte(struct dump *dump, uint8_t byte)
{
    dump->bytes = alloc_append(dump->bytes, &dump->byte_count, &dump->byte_capacity, 1);
    dump->bytes[dump->byte_count - 1] = byte;
    dump->tables[dump->table_count - 1].length++;
}

static bool is_signature(const char *line)
{
    for (unsigned i = 0; i < 4; i++) {
        if (!isupper((unsigned char)line[i]) && !isdigit((unsigned char)line[i]) &&
            line[i] != '_' && line[i] != '!') {
            return false;
        }
    }
    return true;
}

/* "FACP @ 0x0000000000000000" of acpidump; "Raw Table Data: Length 244 (0xF4)" of iasl -d. */
static bool read_table_head(struct dump *dump, const char *line)
{
    const char *raw = "Raw Table Data: Length ";

    if (strncmp(line, raw, strlen(raw)) != 0 &&
        (!is_signature(line) || strncmp(line + 4, " @ 0x", 5) != 0)) {
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
    const size_t digits = strspn(at, HEX_DIGITS);

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
        (struct dump_leaf){dump->processors - 1, leaf, subleaf, *result};
}

/* How many subleaves of a leaf the last processor has. */
static uint32_t subleaves(const struct dump *dump, uint32_t leaf)
{
    uint32_t count = 0;

    for (size_t i = dump->leaf_count;
         i > 0 && dump->leaves[i - 1].processor + 1 == dump->processors; i--) {
        count += dump->leaves[i - 1].leaf == leaf ? 1 : 0;
    }
    return count;
}

/* Leaves of a processor begin with leaf 0, whatever stands before them: lists and registers of
 * other kinds have heads that look the same. */
static void begin_processor(struct dump *dump, uint32_t leaf, uint32_t subleaf)
{
    if (dump->processors == 0 || (leaf == 0 && subleaf == 0 && subleaves(dump, 0) > 0)) {
        dump->processors++;
    }
}

/* A word of 8 digits behind at least one separator; NULL: there is none. */
static const char *hex_word(const char *at, uint32_t *value)
{
    const size_t separators = strspn(at, " \t:-");
    char digits[9] = {0};

    at += separators;
    if (separators == 0 || strspn(at, HEX_DIGITS) != 8) {
        return NULL;
    }
    memcpy(digits, at, 8);
    *value = (uint32_t)strtoul(digits, NULL, 16);
    return at + 8;
}

/* "CPUID 00000004: 7C004121-01C0003F-0000003F-00000000 [SL 01]", as InstLatx64 has it. Old ones
 * have other separators, or no mark: subleaves then follow each other. */
static bool read_marked_leaf(struct dump *dump, const char *line)
{
    uint32_t word[5];
    uint32_t subleaf;
    const char *at = line + strlen("CPUID");

    if (strncmp(line, "CPUID", strlen("CPUID")) != 0) {
        return false;
    }
    for (size_t i = 0; i < 5 && at != NULL; i++) {
        at = hex_word(at, &word[i]);
    }
    const char *mark = at != NULL ? strstr(at, "[SL ") : NULL;

    if (at == NULL || (mark != NULL && sscanf(mark, "[SL %8" SCNx32 "]", &subleaf) != 1)) {
        return false;
    }
    begin_processor(dump, word[0], 0);
    add_leaf(dump, word[0], mark != NULL ? subleaf : subleaves(dump, word[0]),
             &(struct cpuid_result){word[1], word[2], word[3], word[4]});
    return true;
}

/* "   0x00000004 0x01: eax=0x... ebx=0x... ecx=0x... edx=0x...", as cpuid -r prints it. */
static bool read_leaf(struct dump *dump, const char *line)
{
    struct cpuid_result r;
    uint32_t leaf;
    uint32_t subleaf = 0;

    if (sscanf(line,
               " 0x%8" SCNx32 " 0x%8" SCNx32 ": eax=0x%8" SCNx32 " ebx=0x%8" SCNx32
               " ecx=0x%8" SCNx32 " edx=0x%8" SCNx32,
               &leaf, &subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx) != 6) {
        return false;
    }
    begin_processor(dump, leaf, subleaf);
    add_leaf(dump, leaf, subleaf, &r);
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
        if (!read_table_head(dump, line) && !read_table_row(dump, line) &&
            !read_marked_leaf(dump, line) && !read_leaf(dump, line) &&
            !read_linux_range(dump, line) && !dmi_text_line(&dump->dmi, line)) {
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
    free(dump->dmi.structures);
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
