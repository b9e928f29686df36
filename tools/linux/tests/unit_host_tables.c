/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables in the forms of other programs: tools/linux/host_tables.h, on bytes by hand. */
#include "tools/linux/host_tables.h"

#include "tools/tests/support/unit.h"

/* What was printed, until the next. */
static char *text;
static size_t text_size;

static FILE *begin(void)
{
    free(text);
    return open_memstream(&text, &text_size);
}

static void test_acpi(void)
{
    static const uint8_t table[18] = {'A', 'P', 'I', 'C', 0x12, 0, 0xff, 0x7f, ' ', '~'};
    FILE *out = begin();

    CHECK(host_tables_acpi(out, table, sizeof(table)));
    CHECK(!host_tables_acpi(out, table, 3));
    fclose(out);
    CHECK_TEXT(text, "APIC @ 0x0000000000000000\n"
                     "  0000: 41 50 49 43 12 00 FF 7F 20 7E 00 00 00 00 00 00  APIC.... ~......\n"
                     "  0010: 00 00                                            ..\n"
                     "\n");
}

static bool has_hypervisor;

/* A processor with two caches, two levels, states 0, 1, 2 and 9, and a maximum of 0Dh. */
static struct cpuid_result made_up(uint32_t leaf, uint32_t subleaf)
{
    switch (leaf) {
    case 0:
        return (struct cpuid_result){.eax = 0x0d};
    case 1:
        return (struct cpuid_result){.ecx = has_hypervisor ? 1u << 31 : 0};
    case 4:
        return (struct cpuid_result){.eax = subleaf < 2 ? subleaf + 1 : 0};
    case 7:
        return (struct cpuid_result){.eax = subleaf == 0 ? 2 : 0xdead};
    case 0x0b:
        return (struct cpuid_result){.ecx = subleaf < 2 ? (subleaf + 1) << 8 | subleaf : subleaf};
    case 0x0d:
        return (struct cpuid_result){.ebx = subleaf == 2 || subleaf == 9 ? 0x100 : 0};
    case CPUID_HYPERVISOR:
        return (struct cpuid_result){.eax = CPUID_HYPERVISOR + 1};
    case CPUID_EXTENDED:
        return (struct cpuid_result){.eax = 8}; /* none */
    default:
        return (struct cpuid_result){.edx = leaf};
    }
}

static unsigned lines_of(const char *leaf)
{
    unsigned count = 0;

    for (const char *at = text; (at = strstr(at, leaf)) != NULL; at++) {
        count++;
    }
    return count;
}

static void test_cpuid(void)
{
    FILE *out = begin();

    has_hypervisor = false;
    host_tables_cpuid(out, 7, made_up);
    fclose(out);
    static const char head[] =
        "CPU 7:\n   0x00000000 0x00: eax=0x0000000d ebx=0x00000000 ecx=0x00000000 edx=0x00000000\n";

    CHECK(strncmp(text, head, sizeof(head) - 1) == 0);
    CHECK_EQUAL(lines_of("   0x00000004 0x"), 3);
    CHECK_EQUAL(lines_of("   0x00000007 0x"), 3);
    CHECK_EQUAL(lines_of("   0x0000000b 0x"), 3);
    CHECK_EQUAL(lines_of("   0x0000000d 0x"), 4);
    CHECK_EQUAL(lines_of("   0x0000000d 0x09: eax=0x00000000 ebx=0x00000100"), 1);
    CHECK_EQUAL(lines_of("   0x40000"), 0);
    CHECK_EQUAL(lines_of("   0x80000"), 0);
    has_hypervisor = true;
    out = begin();
    host_tables_cpuid(out, 0, made_up);
    fclose(out);
    CHECK_EQUAL(lines_of("   0x40000"), 2);
}

/* Structures: system, vendor's, end; and what lies behind. */
#define SYSTEM_BYTES 27
static const char structures[] = "\x01\x1b\x00\x00\x01\x02\x00\x03"
                                 "0123456789abcdef"
                                 "\x06\x00\x00"
                                 "Maker\0Model\0S3R1AL\0\0"
                                 "\x80\x06\x01\x00PQ"
                                 "secret\0\0"
                                 "\x7f\x04\x02\x00\0\0"
                                 "left";

static void test_blank(void)
{
    static const char blanked[] = "\x01\x1b\x00\x00\x01\x02\x00\x03"
                                  "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                  "\x06\x00\x00"
                                  "Maker\0Model\0XXXXXX\0\0"
                                  "\x80\x06\x01\x00\0\0"
                                  "XXXXXX\0\0"
                                  "\x7f\x04\x02\x00\0\0"
                                  "\0\0\0\0";
    uint8_t bytes[sizeof(structures)];

    memcpy(bytes, structures, sizeof(bytes));
    CHECK(host_tables_blank_smbios(bytes, sizeof(bytes)));
    CHECK_EQUAL(sizeof(blanked), sizeof(structures));
    CHECK(memcmp(bytes, blanked, sizeof(blanked)) == 0);
}

/* Cut at every byte, in memory of that length: no serial number and nothing secret stays. */
static void test_cut(void)
{
    for (size_t length = 1; length < sizeof(structures) - 1; length++) {
        uint8_t *bytes = malloc(length);

        memcpy(bytes, structures, length);
        const bool whole = host_tables_blank_smbios(bytes, length);

        CHECK_EQUAL(whole, length == SYSTEM_BYTES + 20 || length == SYSTEM_BYTES + 34 ||
                               length >= SYSTEM_BYTES + 40);
        CHECK(memmem(bytes, length, "S3R", 3) == NULL);
        CHECK(memmem(bytes, length, "0123", 4) == NULL);
        CHECK(memmem(bytes, length, "sec", 3) == NULL);
        free(bytes);
    }
}

static uint8_t sum(const uint8_t *bytes, size_t length)
{
    uint8_t all = 0;

    for (size_t i = 0; i < length; i++) {
        all = (uint8_t)(all + bytes[i]);
    }
    return all;
}

static void test_move(void)
{
    uint8_t three[24] = {'_', 'S', 'M', '3', '_', 1, 24, 3, 2};
    uint8_t two[31] = {'_', 'S', 'M', '_', 1, 31, 2, 8};

    memset(three + 16, 0xee, 8);
    CHECK(host_tables_move_smbios(three, sizeof(three)));
    CHECK_EQUAL(sum(three, 24), 0);
    CHECK_EQUAL(three[16], HOST_SMBIOS_TABLE_AT);
    CHECK_EQUAL(three[17] | three[23], 0);
    memcpy(two + 16, "_DMI_", 5);
    memset(two + 24, 0xee, 4);
    CHECK(host_tables_move_smbios(two, sizeof(two)));
    CHECK_EQUAL(sum(two, 31), 0);
    CHECK_EQUAL(sum(two + 16, 15), 0);
    CHECK_EQUAL(two[24], HOST_SMBIOS_TABLE_AT);
    CHECK(!host_tables_move_smbios(two, 30));
    CHECK(!host_tables_move_smbios(three, 23));
    three[6] = 25; /* more than there is */
    CHECK(!host_tables_move_smbios(three, sizeof(three)));
    two[16] = 'x';
    CHECK(!host_tables_move_smbios(two, sizeof(two)));
}

int main(void)
{
    RUN(test_acpi());
    RUN(test_cpuid());
    RUN(test_blank());
    RUN(test_cut());
    RUN(test_move());
    free(text);
    return unit_finish("unit_host_tables");
}
