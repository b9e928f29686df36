/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables in the forms of other programs. A form that those cannot read helps no one, and a serial
 * number that stays in is out for good: what is not known to be harmless is blanked.
 */
#include "tools/linux/host_tables.h"

#include <ctype.h>
#include <string.h>

#define LINE_BYTES     16
#define SIGNATURE      4
#define LEAVES_MAX     256 /* of a range: beyond it, the maximum is not sound */
#define SUBLEAVES_MAX  64
#define STRUCTURE_HEAD 4
#define TYPE_SYSTEM    1
#define TYPE_BATTERY   22
#define TYPE_OEM       11
#define TYPE_INTERFACE 42
#define TYPE_END       127
#define TYPE_VENDOR    128
#define UUID_AT        8
#define UUID_BYTES     16
#define BATTERY_AT     0x10 /* its serial number, 2 bytes */
#define ENTRY_2_BYTES  0x1f
#define ENTRY_3_BYTES  0x18

static char printable(uint8_t byte)
{
    return byte < 0x80 && isprint(byte) ? (char)byte : '.';
}

static void print_line(FILE *out, const uint8_t *table, size_t at, size_t count)
{
    fprintf(out, "  %04zX:", at);
    for (size_t i = 0; i < LINE_BYTES; i++) {
        if (i < count) {
            fprintf(out, " %02X", table[at + i]);
        } else {
            fputs("   ", out);
        }
    }
    fputs("  ", out);
    for (size_t i = 0; i < count; i++) {
        fputc(printable(table[at + i]), out);
    }
    fputc('\n', out);
}

bool host_tables_acpi(FILE *out, const uint8_t *table, size_t length)
{
    if (length < SIGNATURE) {
        return false;
    }
    for (size_t i = 0; i < SIGNATURE; i++) {
        fputc(printable(table[i]), out);
    }
    fputs(" @ 0x0000000000000000\n", out);
    for (size_t at = 0; at < length; at += LINE_BYTES) {
        print_line(out, table, at, length - at < LINE_BYTES ? length - at : LINE_BYTES);
    }
    fputc('\n', out);
    return true;
}

/* How sub-leaves of a leaf end. */
enum subleaves {
    SUBLEAVES_NONE,
    SUBLEAVES_TYPE,   /* the first whose EAX[4:0] is 0 */
    SUBLEAVES_LEVEL,  /* the first whose ECX[15:8] is 0 */
    SUBLEAVES_COUNT,  /* sub-leaf 0 has the last in EAX */
    SUBLEAVES_SPARSE, /* 0, 1, and all others that are not 0 */
};

static enum subleaves subleaves_of(uint32_t leaf)
{
    switch (leaf) {
    case 0x04:
    case 0x8000001d:
        return SUBLEAVES_TYPE;
    case 0x0b:
    case 0x1f:
    case 0x80000026:
        return SUBLEAVES_LEVEL;
    case 0x07:
    case 0x14:
    case 0x17:
    case 0x18:
    case 0x1d:
        return SUBLEAVES_COUNT;
    case 0x0d:
    case 0x0f:
    case 0x10:
    case 0x12:
        return SUBLEAVES_SPARSE;
    default:
        return SUBLEAVES_NONE;
    }
}

static void print_leaf(FILE *out, uint32_t leaf, uint32_t subleaf, const struct cpuid_result *is)
{
    fprintf(out, "   0x%08x 0x%02x: eax=0x%08x ebx=0x%08x ecx=0x%08x edx=0x%08x\n", leaf, subleaf,
            is->eax, is->ebx, is->ecx, is->edx);
}

static bool is_last(enum subleaves kind, uint32_t subleaf, uint32_t count,
                    const struct cpuid_result *is)
{
    switch (kind) {
    case SUBLEAVES_TYPE:
        return (is->eax & 0x1f) == 0;
    case SUBLEAVES_LEVEL:
        return (is->ecx >> 8 & 0xff) == 0;
    case SUBLEAVES_COUNT:
        return subleaf >= count;
    case SUBLEAVES_SPARSE:
        return false;
    default:
        return true;
    }
}

static void print_subleaves(FILE *out, uint32_t leaf, cpuid_port *port)
{
    const enum subleaves kind = subleaves_of(leaf);
    uint32_t count = 0;

    for (uint32_t i = 0; i < SUBLEAVES_MAX; i++) {
        const struct cpuid_result is = port(leaf, i);

        if (i == 0) {
            count = is.eax;
        }
        if (kind != SUBLEAVES_SPARSE || i < 2 || (is.eax | is.ebx | is.ecx | is.edx) != 0) {
            print_leaf(out, leaf, i, &is);
        }
        if (is_last(kind, i, count, &is)) {
            return;
        }
    }
}

static void print_range(FILE *out, uint32_t first, cpuid_port *port)
{
    const uint32_t last = port(first, 0).eax;

    if (last < first || last - first >= LEAVES_MAX) {
        return;
    }
    for (uint32_t leaf = first; leaf <= last; leaf++) {
        print_subleaves(out, leaf, port);
    }
}

void host_tables_cpuid(FILE *out, unsigned processor, cpuid_port *port)
{
    fprintf(out, "CPU %u:\n", processor);
    print_range(out, 0, port);
    if (port(0, 0).eax >= 1 && (port(1, 0).ecx >> 31) != 0) {
        print_range(out, CPUID_HYPERVISOR, port);
    }
    print_range(out, CPUID_EXTENDED, port);
}

/* The bytes of a structure that number the strings to be blanked. */
static const struct {
    uint8_t type, serial, asset; /* asset 0: none */
} marks[] = {
    {1, 0x07, 0},     {2, 0x07, 0x08}, {3, 0x07, 0x08},  {4, 0x20, 0x21},
    {17, 0x18, 0x19}, {22, 0x07, 0},   {39, 0x08, 0x09},
};

/* String `number` of the strings from `at` on, from 1; 0: all. */
static void blank_string(uint8_t *at, const uint8_t *end, unsigned number)
{
    for (unsigned i = 1; at < end && *at != 0; i++) {
        const size_t length = strnlen((const char *)at, (size_t)(end - at));

        if (number == 0 || i == number) {
            memset(at, 'X', length);
        }
        at += length + 1;
    }
}

static void blank_marked(uint8_t *structure, const uint8_t *end, uint8_t field)
{
    const uint8_t size = structure[1];

    if (field != 0 && field < size && structure[field] != 0) {
        blank_string(structure + size, end, structure[field]);
    }
}

static void blank_bytes(uint8_t *structure, size_t at, size_t count)
{
    const size_t size = structure[1];

    if (at < size) {
        memset(structure + at, 0, count < size - at ? count : size - at);
    }
}

static void blank_structure(uint8_t *structure, const uint8_t *end)
{
    const uint8_t type = structure[0];

    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        if (marks[i].type == type) {
            blank_marked(structure, end, marks[i].serial);
            blank_marked(structure, end, marks[i].asset);
        }
    }
    if (type == TYPE_SYSTEM) {
        blank_bytes(structure, UUID_AT, UUID_BYTES);
    } else if (type == TYPE_BATTERY) {
        blank_bytes(structure, BATTERY_AT, 2);
    } else if (type == TYPE_OEM) {
        blank_string(structure + structure[1], end, 0);
    } else if (type == TYPE_INTERFACE || type >= TYPE_VENDOR) {
        blank_bytes(structure, STRUCTURE_HEAD, UINT8_MAX);
        blank_string(structure + structure[1], end, 0);
    }
}

/* The byte behind a structure and its strings, which end with two zeros; NULL: it is not whole. */
static uint8_t *behind(uint8_t *structure, const uint8_t *end)
{
    const size_t left = (size_t)(end - structure);

    if (left < STRUCTURE_HEAD || structure[1] < STRUCTURE_HEAD || structure[1] + 2u > left) {
        return NULL;
    }
    for (uint8_t *at = structure + structure[1]; end - at >= 2; at++) {
        if (at[0] == 0 && at[1] == 0) {
            return at + 2;
        }
    }
    return NULL;
}

bool host_tables_blank_smbios(uint8_t *structures, size_t length)
{
    uint8_t *at = structures;
    const uint8_t *end = structures + length;

    while (at < end) {
        uint8_t *next = behind(at, end);
        const bool last = next != NULL && at[0] == TYPE_END;

        if (next != NULL) {
            blank_structure(at, next);
            at = next;
        }
        if (next == NULL || last) {
            memset(at, 0, (size_t)(end - at));
            return last;
        }
    }
    return true;
}

/* Sets the byte that makes the sum of all 0. */
static void seal(uint8_t *bytes, size_t length, size_t checksum)
{
    uint8_t sum = 0;

    bytes[checksum] = 0;
    for (size_t i = 0; i < length; i++) {
        sum = (uint8_t)(sum + bytes[i]);
    }
    bytes[checksum] = (uint8_t)-sum;
}

bool host_tables_move_smbios(uint8_t *entry, size_t size)
{
    if (size >= ENTRY_3_BYTES && memcmp(entry, "_SM3_", 5) == 0 && entry[6] >= ENTRY_3_BYTES &&
        entry[6] <= size) {
        memset(entry + 0x10, 0, 8);
        entry[0x10] = HOST_SMBIOS_TABLE_AT;
        seal(entry, entry[6], 5);
        return true;
    }
    if (size >= ENTRY_2_BYTES && memcmp(entry, "_SM_", 4) == 0 &&
        memcmp(entry + 0x10, "_DMI_", 5) == 0 && entry[5] >= ENTRY_2_BYTES - 1 &&
        entry[5] <= size) {
        memset(entry + 0x18, 0, 4);
        entry[0x18] = HOST_SMBIOS_TABLE_AT;
        seal(entry + 0x10, 15, 5);
        seal(entry, entry[5], 4);
        return true;
    }
    return false;
}
