/* SPDX-License-Identifier: BSD-2-Clause */
/* What is believed of ACPI, kernel/dev/acpi.h, where firmware lies: tables by hand; and what the
 * machine's map allows, kernel/plan/ranges.h. */
#include "kernel/dev/acpi.h"

#include <stdlib.h>

#include "kernel/plan/bytes.h"
#include "kernel/plan/ranges.h"
#include "tools/tests/support/acpi_memory.h"
#include "tools/tests/support/seal.h"
#include "tools/tests/support/unit.h"

#define BASE     0x7fe00001ull /* nothing of it is aligned */
#define SIZE     (64u << 10)
#define HEADER   36
#define NOWHERE  0x123456789000ull
#define IO_APIC  0xfec00000u
#define LAPIC    0xfee00000u
#define HPET     0xfed00000u
#define PM_TIMER 0x608

static struct acpi_piece piece = {.address = BASE, .length = SIZE};
static size_t used;
static struct acpi_facts facts;

/* ---- tables ---- */

static uint8_t *bytes_at(uint64_t address)
{
    return piece.bytes + (address - BASE);
}

static void begin(void)
{
    memset(piece.bytes, 0, SIZE);
    used = 0;
}

/* A body follows the header; its address. */
static uint64_t add(const char *signature, uint8_t revision, const void *body, size_t length)
{
    const uint64_t address = BASE + used;
    uint8_t *bytes = bytes_at(address);

    memcpy(bytes, signature, 4);
    bytes_put(bytes + 4, HEADER + length, 4);
    bytes[8] = revision;
    if (length > 0) {
        memcpy(bytes + HEADER, body, length);
    }
    seal(bytes, HEADER + length, 9);
    used += HEADER + length;
    return address;
}

static uint64_t add_root(const char *signature, size_t entry_size, const uint64_t *entries,
                         size_t count)
{
    uint8_t body[8 * 300];

    for (size_t i = 0; i < count; i++) {
        bytes_put(body + i * entry_size, entries[i], entry_size);
    }
    return add(signature, 1, body, count * entry_size);
}

static uint64_t add_rsdp(uint8_t revision, uint64_t rsdt, uint64_t xsdt)
{
    const uint64_t address = BASE + used;
    uint8_t *bytes = bytes_at(address);

    memcpy(bytes, "RSD PTR ", 8);
    bytes[15] = revision;
    bytes_put(bytes + 16, rsdt, 4);
    bytes_put(bytes + 20, 36, 4);
    bytes_put(bytes + 24, xsdt, 8);
    seal(bytes, 20, 8);
    seal(bytes, 36, 32);
    used += 36;
    return address;
}

/* Of ACPI 2.0, with what it took over from 1.0 and its own form of it. */
static uint64_t add_fadt(uint8_t revision, size_t length, uint64_t port, uint64_t extended)
{
    uint8_t body[244 - HEADER] = {0};

    bytes_put(&body[76 - HEADER], port, 4);
    bytes_put(&body[109 - HEADER], 2, 2);
    bytes_put(&body[112 - HEADER], 1u << 8, 4);
    body[208 - HEADER] = 1; /* I/O */
    bytes_put(&body[212 - HEADER], extended, 8);
    return add("FACP", revision, body, length - HEADER);
}

static uint64_t add_hpet(uint8_t space, uint64_t address)
{
    uint8_t body[20] = {0};

    body[4] = space;
    bytes_put(body + 8, address, 8);
    return add("HPET", 1, body, sizeof(body));
}

static void read_by(uint64_t rsdp)
{
    memset(&facts, 0xdd, sizeof(facts));
    acpi_piece_read(&piece, rsdp, &facts);
}

/* An XSDT that lists these, and no RSDT. */
static void read_tables(const uint64_t *entries, size_t count)
{
    read_by(add_rsdp(2, 0, add_root("XSDT", 8, entries, count)));
}

static bool refused(const char *what)
{
    const bool found = strstr(facts.refused, what) != NULL;

    if (!found) {
        fprintf(stderr, "not in \"%s\": \"%s\"\n", facts.refused, what);
    }
    return found;
}

/* ---- the root ---- */

static void check_nothing(void)
{
    CHECK_EQUAL(facts.hpet.address, 0);
    CHECK_EQUAL(facts.pm_timer.address, 0);
    CHECK_EQUAL(facts.lapic_address, 0);
    CHECK_EQUAL(facts.processors, 0);
    CHECK_EQUAL(facts.processor_count, 0);
    CHECK_EQUAL(facts.node_range_count, 0);
    CHECK_EQUAL(facts.io_apic_count, 0);
    CHECK_EQUAL(facts.serial_count, 0);
    CHECK_EQUAL(facts.i8042, ACPI_NOT_STATED);
    CHECK_EQUAL(facts.isa[4].gsi, 4);
    CHECK_TEXT(facts.tables, "");
}

static void test_no_root(void)
{
    begin();
    read_by(0);
    check_nothing();
    CHECK_TEXT(facts.refused, "");
    read_by(NOWHERE);
    check_nothing();
    CHECK_TEXT(facts.refused, "RSDP not in memory");
    read_by(BASE + SIZE - 19); /* one byte less than it takes */
    CHECK_TEXT(facts.refused, "RSDP not in memory");
    const uint64_t rsdp = add_rsdp(2, 0, NOWHERE);

    read_by(rsdp);
    check_nothing();
    CHECK_TEXT(facts.refused, "XSDT not in memory");
    bytes_at(rsdp)[9] ^= 1;
    read_by(rsdp);
    check_nothing();
    CHECK_TEXT(facts.refused, "RSDP bad checksum");
}

/* The XSDT first; damaged in any of many ways, or without the FADT, the RSDT. */
static void test_fallback(void)
{
    static const char *const why[] = {"XSDT bad checksum", "XSDT bad length", "XSDT bad length",
                                      "XSDT ends outside memory", "XSDT wrong signature"};

    for (size_t damage = 0; damage < sizeof(why) / sizeof(why[0]); damage++) {
        begin();
        const uint64_t tables[] = {add_fadt(1, 116, PM_TIMER, 0)};
        const uint64_t xsdt = add_root("XSDT", 8, tables, 1);
        const uint64_t rsdp = add_rsdp(2, add_root("RSDT", 4, tables, 1), xsdt);
        uint8_t *bytes = bytes_at(xsdt);

        read_by(rsdp);
        CHECK_EQUAL(facts.pm_timer.address, PM_TIMER);
        CHECK_TEXT(facts.refused, "");
        bytes[HEADER - 1] = damage == 0 ? 1 : 0;
        if (damage >= 1 && damage <= 3) {
            bytes_put(bytes + 4, damage == 1 ? 0 : damage == 2 ? UINT32_MAX : SIZE, 4);
        } else if (damage == 4) {
            memcpy(bytes, "SSDT", 4);
            seal(bytes, 44, 9);
        }
        read_by(rsdp);
        CHECK_EQUAL(facts.pm_timer.address, PM_TIMER);
        CHECK_TEXT(facts.tables, "FACP");
        CHECK_TEXT(facts.refused, why[damage]);
    }
    begin();
    const uint64_t hpet = add_hpet(0, HPET);
    const uint64_t both[] = {hpet, add_fadt(1, 116, PM_TIMER, 0)};
    const uint64_t xsdt = add_root("XSDT", 8, both, 1);

    read_by(add_rsdp(2, add_root("RSDT", 4, both, 2), xsdt));
    CHECK_TEXT(facts.tables, "HPET FACP");
    CHECK_TEXT(facts.refused, "");
}

/* An RSDP of the old revision with all fields of a new one after it, and one of a new revision that
 * is invalid. */
static void test_revision(void)
{
    begin();
    const uint64_t tables[] = {add_fadt(1, 116, PM_TIMER, 0)};
    const uint64_t xsdt = add_root("XSDT", 8, tables, 1);
    const uint64_t old = add_rsdp(0, 0, xsdt);

    read_by(old);
    CHECK_EQUAL(facts.pm_timer.address, PM_TIMER);
    bytes_at(old)[33] ^= 1; /* what is behind 20 bytes is something else */
    read_by(old);
    check_nothing();
    CHECK_TEXT(facts.refused, "");

    const uint64_t liar = add_rsdp(2, 0, xsdt);

    bytes_at(liar)[33] ^= 1;
    read_by(liar);
    CHECK_EQUAL(facts.pm_timer.address, PM_TIMER); /* the XSDT has its own checksum */
    CHECK_TEXT(facts.refused, "RSDP bad second checksum");

    begin();
    used = SIZE - 20; /* one of ACPI 1.0 that claims to be of 2.0, at the end of memory */
    uint8_t *bytes = bytes_at(BASE + used);

    memcpy(bytes, "RSD PTR ", 8);
    bytes[15] = 2;
    seal(bytes, 20, 8);
    read_by(BASE + used);
    check_nothing();
    CHECK_TEXT(facts.refused, "RSDP bad second checksum");
}

/* Lists that lead to themselves, to the same again and again, and nowhere. */
static void test_loops(void)
{
    begin();
    const uint64_t fadt = add_fadt(1, 116, PM_TIMER, 0);
    const uint64_t hpet = add_hpet(0, HPET);
    const uint64_t entries[] = {0, fadt, hpet, hpet, fadt, 0, NOWHERE, 1};
    const uint64_t xsdt = add_root("XSDT", 8, entries, 8);
    uint8_t *bytes = bytes_at(xsdt);

    bytes_put(bytes + HEADER, xsdt, 8);
    seal(bytes, HEADER + 64, 9);
    read_by(add_rsdp(2, 0, xsdt));
    CHECK_TEXT(facts.tables, "FACP HPET");
    CHECK_TEXT(facts.refused,
               "XSDT listed twice, HPET listed twice, FACP listed twice, ???? not in memory");

    begin();
    uint64_t many[300];

    for (size_t i = 0; i < 300; i++) {
        many[i] = add("SSDT", 1, NULL, 0);
    }
    read_tables(many, 300);
    CHECK(refused("SSDT too many tables"));
    CHECK(strlen(facts.refused) < sizeof(facts.refused));
    CHECK(strlen(facts.tables) < sizeof(facts.tables));
    CHECK_TEXT(facts.tables, "SSDT*256");

    begin();
    for (size_t i = 0; i < 27; i++) {
        many[i] = add("SSDT", 1, NULL, 0);
    }
    many[27] = add("HPET", 1, NULL, 0);
    read_tables(many, 28);
    CHECK_TEXT(facts.tables, "SSDT*27 HPET");

    begin();
    for (size_t i = 0; i < 100; i++) {
        const char name[5] = {'S', (char)('0' + i / 10), (char)('0' + i % 10), 'X', '\0'};

        many[i] = add(name, 1, NULL, 0);
    }
    read_tables(many, 100);
    CHECK(strcmp(facts.tables + strlen(facts.tables) - 4, " ...") == 0);
}

/* A root that lists more than any firmware has would have the same sum made for hours. */
static void test_long_root(void)
{
    static uint8_t body[8 * 1100];

    begin();
    const uint64_t hpet = add_hpet(0, HPET);
    const uint64_t fadt = add_fadt(1, 116, PM_TIMER, 0);

    bytes_put(body + 8, hpet, 8);
    bytes_put(body + 8 * 1024, fadt, 8); /* the first that is too many */
    read_by(add_rsdp(2, 0, add("XSDT", 1, body, sizeof(body))));
    CHECK_TEXT(facts.tables, "HPET");
    CHECK_TEXT(facts.refused, "XSDT too long");
}

/* A table that is damaged is named, in printable characters, and the rest is read. */
static void test_damaged(void)
{
    begin();
    const uint64_t tables[] = {add("SS\x01\xff", 1, "x", 1), add("MCFG", 1, "01234567", 8),
                               add_hpet(0, HPET)};

    bytes_at(tables[0])[20] ^= 1;
    bytes_put(bytes_at(tables[1]) + 4, 0, 4);
    read_tables(tables, 3);
    CHECK_TEXT(facts.tables, "HPET");
    CHECK_TEXT(facts.refused, "SS?? bad checksum, MCFG bad length");
    CHECK_EQUAL(facts.hpet.address, HPET);
}

/* ---- FADT and HPET ---- */

static void read_fadt(uint8_t revision, size_t length, uint64_t timer, uint64_t extended)
{
    begin();
    const uint64_t fadt = add_fadt(revision, length, timer, extended);

    read_tables(&fadt, 1);
}

static void test_fadt(void)
{
    read_fadt(1, 116, PM_TIMER, 0);
    CHECK_EQUAL(facts.pm_timer.address, PM_TIMER);
    CHECK(facts.pm_timer.io);
    CHECK(facts.pm_timer_32bit);
    CHECK_EQUAL(facts.i8042, ACPI_NOT_STATED);
    read_fadt(3, 244, PM_TIMER, 0x1808);
    CHECK_EQUAL(facts.pm_timer.address, 0x1808);
    CHECK_EQUAL(facts.i8042, ACPI_YES);
    read_fadt(6, 244, PM_TIMER, 0); /* the new form is there, and empty */
    CHECK_EQUAL(facts.pm_timer.address, PM_TIMER);
    read_fadt(6, 219, PM_TIMER, 0x1808); /* it ends one byte too early for that */
    CHECK_EQUAL(facts.pm_timer.address, PM_TIMER);
    read_fadt(6, 110, PM_TIMER, 0);
    CHECK_EQUAL(facts.i8042, ACPI_NOT_STATED);
    CHECK(!facts.pm_timer_32bit);
    read_fadt(6, HEADER, 0, 0);
    CHECK_EQUAL(facts.pm_timer.address, 0);
    CHECK_TEXT(facts.refused, "");
    read_fadt(6, 244, 0, 0x12345678); /* no port */
    CHECK_EQUAL(facts.pm_timer.address, 0);
    CHECK_TEXT(facts.refused, "PM timer bad address");
}

/* The DSDT with these bytes of AML. */
static void read_dsdt(const char *aml, size_t length)
{
    uint8_t body[244 - HEADER] = {0};

    begin();
    bytes_put(&body[40 - HEADER], add("DSDT", 2, aml, length), 4);
    const uint64_t fadt = add("FACP", 3, body, sizeof(body));

    read_tables(&fadt, 1);
}

static void test_dsdt(void)
{
    static const char aml[] = "\x08_HID\x0dQEMU0002";

    read_dsdt(aml, sizeof(aml));
    CHECK(facts.has_fw_cfg);
    CHECK(!facts.power_off.known);
    read_dsdt(aml, sizeof(aml) - 1); /* the text does not end */
    CHECK(!facts.has_fw_cfg);
    read_dsdt("\x08_HID\x0dQEMU0001", sizeof(aml));
    CHECK(!facts.has_fw_cfg);
    read_dsdt(aml, 0);
    CHECK(!facts.has_fw_cfg);
    CHECK_TEXT(facts.refused, "");
}

/* \_S5 is read from an SSDT if the DSDT has none. If both have it, the DSDT's is used. */
static void test_sleep_in_ssdt(void)
{
    static const char in_ssdt[] = "\x08\\_S5_\x12\x06\x02\x0a\x05\x0a\x06";
    static const char in_dsdt[] = "\x08\\_S5_\x12\x06\x02\x0a\x03\x0a\x04";
    uint8_t body[244 - HEADER] = {0};

    for (unsigned both = 0; both < 2; both++) {
        begin();
        bytes_put(&body[64 - HEADER], 0x404, 4);
        bytes_put(&body[40 - HEADER], add("DSDT", 2, in_dsdt, both ? sizeof(in_dsdt) - 1 : 1), 4);
        const uint64_t tables[] = {
            add("SSDT", 2, "\x08", 1), add("OEM1", 2, in_dsdt, sizeof(in_dsdt) - 1),
            add("SSDT", 2, in_ssdt, sizeof(in_ssdt) - 1), add("FACP", 3, body, sizeof(body))};

        read_tables(tables, 4);
        CHECK(facts.power_off.known);
        CHECK_EQUAL(facts.power_off.sleep_type[0], both ? 3 : 5);
        CHECK_EQUAL(facts.power_off.sleep_type[1], both ? 4 : 6);
    }
}

static void read_hpet(uint8_t space, uint64_t address)
{
    begin();
    const uint64_t hpet[] = {add_hpet(space, address), add_hpet(0, HPET)};

    read_tables(hpet, 2);
}

/* The first counts; in RAM, beyond what can be addressed, unaligned, none. */
static void test_hpet(void)
{
    static const uint64_t bad[] = {BASE + 7, HPET + 1, HPET + 4, 1ull << 45, UINT64_MAX - 7, 0x100};

    read_hpet(0, HPET + 0x1000);
    CHECK_EQUAL(facts.hpet.address, HPET + 0x1000);
    read_hpet(0, 0);
    CHECK_EQUAL(facts.hpet.address, 0);
    read_hpet(2, HPET); /* PCI configuration space */
    CHECK_EQUAL(facts.hpet.address, 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        read_hpet(0, bad[i]);
        CHECK_EQUAL(facts.hpet.address, 0);
    }
    CHECK_TEXT(facts.refused, "HPET bad address");
}

/* ---- MADT ---- */

static uint8_t madt[8192];
static size_t madt_length;

static void madt_begin(void)
{
    memset(madt, 0, sizeof(madt));
    bytes_put(madt, LAPIC, 4);
    madt_length = 8;
}

static uint8_t *entry(uint8_t type, uint8_t size)
{
    uint8_t *at = madt + madt_length;

    at[0] = type;
    at[1] = size;
    madt_length += size;
    return at;
}

static void lapic(uint8_t id, uint32_t flags)
{
    uint8_t *at = entry(0, 8);

    at[3] = id;
    bytes_put(at + 4, flags, 4);
}

static void x2apic(uint32_t id, uint32_t flags)
{
    uint8_t *at = entry(9, 16);

    bytes_put(at + 4, id, 4);
    bytes_put(at + 8, flags, 4);
}

static void io_apic(uint32_t address, uint32_t first)
{
    uint8_t *at = entry(1, 12);

    bytes_put(at + 4, address, 4);
    bytes_put(at + 8, first, 4);
}

static void override(uint8_t bus, uint8_t irq, uint32_t gsi, uint16_t flags)
{
    uint8_t *at = entry(2, 10);

    at[2] = bus;
    at[3] = irq;
    bytes_put(at + 4, gsi, 4);
    bytes_put(at + 8, flags, 2);
}

static void madt_read(void)
{
    begin();
    const uint64_t table = add("APIC", 5, madt, madt_length);

    read_tables(&table, 1);
}

static void check_processor(size_t index, uint32_t id, bool enabled, bool capable)
{
    CHECK(index < facts.processor_count);
    CHECK_EQUAL(facts.processor[index].apic_id, id);
    CHECK_EQUAL(facts.processor[index].enabled, enabled);
    CHECK_EQUAL(facts.processor[index].online_capable, capable);
}

static void test_madt_usual(void)
{
    madt_begin();
    lapic(0, 1);
    lapic(2, 1);
    io_apic(IO_APIC, 0);
    override(0, 0, 2, 0);
    override(0, 9, 9, 0xf); /* level, active low */
    madt_read();
    CHECK_TEXT(facts.refused, "");
    CHECK_EQUAL(facts.processors, 2);
    check_processor(1, 2, true, false);
    CHECK_EQUAL(facts.lapic_address, LAPIC);
    CHECK_EQUAL(facts.io_apic_count, 1);
    CHECK_EQUAL(facts.isa[0].gsi, 2);
    CHECK(!facts.isa[0].level && !facts.isa[0].active_low);
    CHECK(facts.isa[9].level && facts.isa[9].active_low);
}

/* 1: x2APIC entries alone; 2: both forms of each; 3: no id below 256. */
static void test_madt_forms(void)
{
    madt_begin();
    x2apic(0, 1);
    x2apic(254, 1);
    madt_read();
    CHECK_EQUAL(facts.processors, 2);
    check_processor(1, 254, true, false);

    madt_begin();
    for (uint8_t id = 0; id < 4; id++) {
        lapic(id, 1);
    }
    for (uint8_t id = 0; id < 6; id++) {
        x2apic(id, 1);
    }
    madt_read();
    CHECK_EQUAL(facts.processors, 6);
    CHECK_EQUAL(facts.processor_count, 6);

    madt_begin();
    lapic(255, 1);
    lapic(255, 1);
    x2apic(256, 1);
    x2apic(300, 1);
    x2apic(0x12345, 1);
    x2apic(UINT32_MAX, 1);
    madt_read();
    CHECK_EQUAL(facts.processors, 3);
    CHECK_EQUAL(facts.processor_count, 3);
    check_processor(0, 256, true, false);
    check_processor(2, 0x12345, true, false);
}

/* 4: disabled and online capable; 5: none enabled; 6: none at all. */
static void test_madt_disabled(void)
{
    madt_begin();
    lapic(0, 1);
    lapic(1, 0);
    lapic(2, 2);
    x2apic(3, 3);
    lapic(4, 0xfffffffc);
    madt_read();
    CHECK_EQUAL(facts.processors, 2);
    CHECK_EQUAL(facts.processor_count, 5);
    check_processor(1, 1, false, false);
    check_processor(2, 2, false, true);
    check_processor(3, 3, true, true);
    check_processor(4, 4, false, false);

    madt_begin();
    lapic(0, 0);
    madt_read();
    CHECK_EQUAL(facts.processors, 0);
    CHECK_EQUAL(facts.processor_count, 1);

    madt_begin();
    madt_read();
    CHECK_EQUAL(facts.processor_count, 0);
    CHECK_EQUAL(facts.lapic_address, LAPIC);

    begin();
    const uint64_t bare = add("APIC", 1, NULL, 0); /* it ends before its own first field */

    read_tables(&bare, 1);
    CHECK_EQUAL(facts.lapic_address, 0);
}

static uint64_t add_crowd(uint32_t first, uint32_t count)
{
    madt_begin();
    for (uint32_t i = 0; i < count; i++) {
        x2apic(first + i, 1);
    }
    return add("APIC", 5, madt, madt_length);
}

/* 7: more than 8-bit APIC ids name, and more than there is room for. */
static void test_madt_crowd(void)
{
    begin();
    uint64_t tables[2] = {add_crowd(0, 300)};

    read_tables(tables, 1);
    CHECK_EQUAL(facts.processor_count, 300);
    CHECK_EQUAL(facts.processors, 300);
    CHECK_EQUAL(facts.processor[299].apic_id, 299);
    CHECK_TEXT(facts.refused, "");

    begin();
    tables[0] = add_crowd(0, 300);
    tables[1] = add_crowd(1000, 300);
    read_tables(tables, 2);
    CHECK_EQUAL(facts.processor_count, ACPI_PROCESSORS_MAX);
    CHECK_EQUAL(facts.processors, 600);
    CHECK_TEXT(facts.refused, "APIC too many processors");
}

/* 8: the LAPIC elsewhere, or nowhere. */
static void test_madt_address(void)
{
    static const uint64_t bad[] = {0, BASE + 15, 1ull << 50, UINT64_MAX, LAPIC + 4};

    madt_begin();
    bytes_put(entry(5, 12) + 4, 0xfed50000, 8);
    madt_read();
    CHECK_EQUAL(facts.lapic_address, 0xfed50000);
    CHECK_TEXT(facts.refused, "");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        madt_begin();
        bytes_put(entry(5, 12) + 4, bad[i], 8);
        madt_read();
        CHECK_EQUAL(facts.lapic_address, 0);
        CHECK_TEXT(facts.refused, i == 0 ? "" : "LAPIC bad address");
    }
    madt_begin();
    bytes_put(entry(5, 8) + 4, 0xfed50000, 4); /* too short for its contents */
    madt_read();
    CHECK_EQUAL(facts.lapic_address, LAPIC);
}

/* 9: entries of unknown types, of other machines, of non-maskable interrupts. */
static void test_madt_unknown(void)
{
    static const uint8_t types[] = {3, 4, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 0x7f, 0x80, 255};

    madt_begin();
    lapic(0, 1);
    for (size_t i = 0; i < sizeof(types); i++) {
        memset(entry(types[i], (uint8_t)(2 + 5 * i)) + 2, 0xff, 5 * i);
    }
    lapic(1, 1);
    madt_read();
    CHECK_EQUAL(facts.processors, 2);
    CHECK_TEXT(facts.refused, "");
}

/* 10: an entry of no length; 11: one that is cut; 12: ones too short for their type. */
static void test_madt_cut(void)
{
    for (uint8_t size = 0; size < 2; size++) {
        madt_begin();
        lapic(0, 1);
        entry(0, size);
        madt_length += 8;
        lapic(1, 1);
        madt_read();
        CHECK_EQUAL(facts.processors, 1);
        CHECK_TEXT(facts.refused, "APIC bad entry");
    }
    for (size_t cut = 1; cut < 16; cut++) {
        madt_begin();
        lapic(0, 1);
        x2apic(7, 1);
        madt_length -= cut;
        madt_read();
        CHECK_EQUAL(facts.processors, 1);
        CHECK_TEXT(facts.refused, cut < 15 ? "APIC bad entry" : "");
    }
    madt_begin();
    memset(entry(0, 7) + 2, 1, 5);
    memset(entry(9, 15) + 2, 1, 13);
    memset(entry(1, 11) + 2, 1, 9);
    memset(entry(2, 9) + 2, 1, 7);
    lapic(3, 1);
    madt_read();
    CHECK_EQUAL(facts.processor_count, 1);
    check_processor(0, 3, true, false);
    CHECK_EQUAL(facts.io_apic_count, 0);
    CHECK_EQUAL(facts.isa[1].gsi, 1);
}

/* 13: overrides of another bus, of no line of ISA's, to inputs that are not there. */
static void test_madt_overrides(void)
{
    madt_begin();
    override(1, 3, 99, 0);
    override(0, 16, 99, 0);
    override(0, 255, 99, 0);
    override(0, 4, UINT32_MAX, 0xffff);
    override(0, 5, 20, 0xa); /* reserved polarity and trigger mode */
    override(0, 5, 21, 0);   /* once more */
    madt_read();
    CHECK_EQUAL(facts.isa[3].gsi, 3);
    CHECK_EQUAL(facts.isa[4].gsi, UINT32_MAX);
    CHECK_EQUAL(facts.isa[5].gsi, 21);
    CHECK(!facts.isa[5].level && !facts.isa[5].active_low);
}

/* 14: I/O APICs in RAM, at no place for one, twice, more than there is room for. */
static void test_madt_io_apics(void)
{
    madt_begin();
    io_apic(0, 0);
    io_apic((uint32_t)BASE + 0xff, 0);
    io_apic(IO_APIC + 8, 0);
    io_apic(IO_APIC, 24);
    io_apic(IO_APIC, 48);
    madt_read();
    CHECK_EQUAL(facts.io_apic_count, 1);
    CHECK_EQUAL(facts.io_apics[0], IO_APIC);
    CHECK_EQUAL(facts.io_apic_first[0], 24);
    CHECK(refused("I/O APIC bad address"));

    madt_begin();
    for (uint32_t i = 0; i < 2 * ACPI_IO_APICS_MAX; i++) {
        io_apic(IO_APIC + i * 0x1000, i);
    }
    madt_read();
    CHECK_EQUAL(facts.io_apic_count, ACPI_IO_APICS_MAX);
}

/* ---- SRAT ---- */

static uint8_t *srat_entry(uint8_t type, uint8_t size)
{
    if (madt_length == 0) {
        madt_length = 12; /* header fields that other tables do not have */
    }
    return entry(type, size);
}

static void near_lapic(uint8_t id, uint32_t node, uint32_t flags)
{
    uint8_t *at = srat_entry(0, 16);

    at[2] = (uint8_t)node;
    at[3] = id;
    bytes_put(at + 4, flags, 4);
    bytes_put(at + 9, node >> 8, 3);
}

static void near_x2apic(uint32_t id, uint32_t node, uint32_t flags)
{
    uint8_t *at = srat_entry(2, 24);

    bytes_put(at + 4, node, 4);
    bytes_put(at + 8, id, 4);
    bytes_put(at + 12, flags, 4);
}

static void near_memory(uint64_t address, uint64_t bytes, uint32_t node, uint32_t flags)
{
    uint8_t *at = srat_entry(1, 40);

    bytes_put(at + 2, node, 4);
    bytes_put(at + 8, address, 8);
    bytes_put(at + 16, bytes, 8);
    bytes_put(at + 28, flags, 4);
}

/* A MADT of processors 0 to 3, 2 in the form of x2APIC and 3 not enabled; SRAT is listed first. */
static uint64_t nodes_madt;

static void srat_begin(void)
{
    madt_begin();
    lapic(0, 1);
    lapic(1, 1);
    x2apic(2, 1);
    lapic(3, 0);
    begin();
    nodes_madt = add("APIC", 5, madt, madt_length);
    memset(madt, 0, sizeof(madt));
    madt_length = 0;
}

static void srat_read(uint8_t revision)
{
    const uint64_t tables[] = {add("SRAT", revision, madt, madt_length), nodes_madt};

    read_tables(tables, 2);
}

static void check_node(size_t index, bool reported, uint32_t node)
{
    CHECK(index < facts.processor_count);
    CHECK_EQUAL(facts.processor[index].has_node, reported);
    if (reported) {
        CHECK_EQUAL(facts.processor[index].node, node);
    }
}

static void check_range(size_t index, uint64_t address, uint64_t bytes, uint32_t node)
{
    CHECK(index < facts.node_range_count);
    CHECK_EQUAL(facts.node_range[index].address, address);
    CHECK_EQUAL(facts.node_range[index].bytes, bytes);
    CHECK_EQUAL(facts.node_range[index].node, node);
}

static void test_srat_usual(void)
{
    srat_begin();
    near_lapic(0, 0, 1);
    near_lapic(1, 1, 0); /* not in use */
    near_lapic(1, 2, 1);
    near_lapic(1, 3, 1); /* once more */
    near_x2apic(2, 0x12345678, 1);
    near_lapic(9, 1, 1); /* no one */
    near_memory(0, 0xa0000, 0, 1);
    near_memory(1u << 20, 1u << 30, 0, 1);
    near_memory(1ull << 32, 1ull << 40, 0x12345678, 3);
    near_memory(1ull << 50, 1, 7, 2); /* not in use */
    srat_read(3);
    CHECK_TEXT(facts.refused, "");
    check_node(0, true, 0);
    check_node(1, true, 2);
    check_node(2, true, 0x12345678);
    check_node(3, false, 0);
    CHECK_EQUAL(facts.node_range_count, 3);
    check_range(1, 1u << 20, 1u << 30, 0);
    check_range(2, 1ull << 32, 1ull << 40, 0x12345678);
}

/* Domains had 8 bits in revision 1; the bytes after them were undefined. */
static void test_srat_revision(void)
{
    for (uint8_t revision = 1; revision <= 2; revision++) {
        srat_begin();
        near_lapic(0, 0xabcd01, 1);
        near_memory(1u << 20, 1u << 30, 0xabcd01, 1);
        srat_read(revision);
        check_node(0, true, revision == 1 ? 1 : 0xabcd01);
        check_range(0, 1u << 20, 1u << 30, revision == 1 ? 1 : 0xabcd01);
    }
}

/* Ranges that contradict each other, of nothing, beyond all memory, too many. */
static void test_srat_ranges(void)
{
    srat_begin();
    near_memory(1u << 20, 1u << 20, 0, 1);
    near_memory(1u << 20, 1, 1, 1);
    near_memory((2u << 20) - 1, 1, 1, 1);
    near_memory(0, UINT64_MAX, 1, 1);
    near_memory(UINT64_MAX, 2, 1, 1);
    near_memory(1ull << 52, 1, 1, 1);
    near_memory(4096, 0, 1, 1);
    near_memory(2u << 20, 1u << 20, 1, 1);
    near_memory(1u << 20, 1u << 20, 0, 1); /* the same again */
    srat_read(3);
    CHECK_TEXT(facts.refused, "SRAT nodes overlap, SRAT bad address");
    CHECK_EQUAL(facts.node_range_count, 3);
    check_range(1, 2u << 20, 1u << 20, 1);

    srat_begin();
    for (uint32_t i = 0; i <= ACPI_NODE_RANGES_MAX; i++) {
        near_memory((uint64_t)i << 30, 1u << 30, i, 1);
    }
    srat_read(3);
    CHECK_TEXT(facts.refused, "SRAT too many ranges");
    CHECK_EQUAL(facts.node_range_count, ACPI_NODE_RANGES_MAX);
}

/* Cut at each byte; entries too short for their type. */
static void test_srat_cut(void)
{
    for (size_t cut = 1; cut < 40; cut++) {
        srat_begin();
        near_lapic(0, 1, 1);
        near_memory(1u << 20, 1u << 20, 1, 1);
        madt_length -= cut;
        srat_read(3);
        check_node(0, true, 1);
        CHECK_EQUAL(facts.node_range_count, 0);
        CHECK_TEXT(facts.refused, cut < 39 ? "SRAT bad entry" : "");
    }
    srat_begin();
    memset(srat_entry(0, 15) + 2, 1, 13);
    memset(srat_entry(1, 39) + 2, 1, 37);
    memset(srat_entry(2, 23) + 2, 1, 21);
    srat_read(3);
    check_node(1, false, 0);
    CHECK_EQUAL(facts.node_range_count, 0);
}

/* ---- serial ports ---- */

static uint32_t speed_of(uint8_t revision, uint8_t code, uint32_t precise)
{
    uint8_t body[90 - HEADER] = {[5] = 32, [7] = 3, [58 - HEADER] = code};

    bytes_put(body + (40 - HEADER + 4), 0xfe030000, 8);
    bytes_put(body + (80 - HEADER), precise, 4);
    begin();
    const uint64_t spcr = add("SPCR", revision, body, sizeof(body));

    read_tables(&spcr, 1);
    return facts.serial[0].baud;
}

/* The code of the speed, and from revision 4 on the precise speed before it. */
static void test_speed(void)
{
    CHECK_EQUAL(speed_of(2, 0, 57600), 0); /* as it is */
    CHECK_EQUAL(speed_of(2, 3, 0), 9600);
    CHECK_EQUAL(speed_of(2, 4, 0), 19200);
    CHECK_EQUAL(speed_of(2, 5, 0), 0); /* no speed has this code */
    CHECK_EQUAL(speed_of(2, 6, 230400), 57600);
    CHECK_EQUAL(speed_of(2, 7, 0), 115200);
    CHECK_EQUAL(speed_of(2, 8, 0), 0);
    CHECK_EQUAL(speed_of(4, 7, 0), 115200);
    CHECK_EQUAL(speed_of(4, 7, 230400), 230400);
}

static void test_serial(void)
{
    uint8_t body[80 - HEADER] = {0};

    body[4] = 0; /* memory */
    body[5] = 32;
    body[7] = 3;
    bytes_put(body + 8, 0xfe030000, 8);
    begin();
    uint64_t spcr = add("SPCR", 2, body, sizeof(body));

    read_tables(&spcr, 1);
    CHECK_EQUAL(facts.serial_count, 1);
    CHECK_EQUAL(facts.serial[0].base.address, 0xfe030000);
    CHECK_EQUAL(facts.serial[0].base.access, 3);
    begin();
    bytes_put(body + 8, BASE + 4096, 8); /* where the tables are */
    spcr = add("SPCR", 2, body, sizeof(body));
    read_tables(&spcr, 1);
    CHECK_EQUAL(facts.serial_count, 0);
    CHECK_TEXT(facts.refused, "SPCR bad address");
    begin();
    spcr = add("SPCR", 2, body, 18); /* ends within the address */
    read_tables(&spcr, 1);
    CHECK_EQUAL(facts.serial_count, 0);
    test_speed();

    uint8_t dbg2[60] = {0};

    bytes_put(dbg2, 44, 4);
    bytes_put(dbg2 + 4, UINT32_MAX, 4); /* as many devices as fit */
    bytes_put(dbg2 + 8 + 1, 0, 2);      /* of no length */
    bytes_put(dbg2 + 8 + 12, 0x8000, 2);
    bytes_put(dbg2 + 8 + 18, 0xffff, 2);
    begin();
    const uint64_t port = add("DBG2", 0, dbg2, sizeof(dbg2));

    read_tables(&port, 1);
    CHECK_EQUAL(facts.serial_count, 0);
}

/* ---- damage at random ---- */

/* Bytes of good tables changed, and the checksums made right again: nothing is read that was not
 * lent, and what is found stays within its bounds. */
static void test_random(void)
{
    uint64_t seed = 4711;

    for (unsigned run = 0; run < 20000; run++) {
        madt_begin();
        lapic(0, 1);
        x2apic(1, 1);
        io_apic(IO_APIC, 0);
        override(0, 0, 2, 0);
        begin();
        const uint64_t tables[] = {add_fadt(3, 244, PM_TIMER, 0),
                                   add("APIC", 1, madt, madt_length),
                                   add_hpet(0, HPET),
                                   add("SPCR", 2, madt, 44),
                                   add("DBG2", 0, madt, 60),
                                   add("SRAT", 3, madt, madt_length)};
        const uint64_t rsdp = add_rsdp(2, 0, add_root("XSDT", 8, tables, 6));

        for (unsigned i = 0; i < 8; i++) {
            const uint64_t table = tables[unit_random(&seed) % 6];
            uint8_t *bytes = bytes_at(table);
            const size_t length = (size_t)bytes[4] + 256u * bytes[5];

            bytes[(i < 7 ? HEADER : 0) + unit_random(&seed) % (length - HEADER)] =
                (uint8_t)unit_random(&seed);
            seal(bytes, length, 9);
        }
        read_by(rsdp);
        CHECK(facts.processor_count <= ACPI_PROCESSORS_MAX);
        CHECK(facts.io_apic_count <= ACPI_IO_APICS_MAX);
        CHECK(facts.serial_count <= ACPI_SERIAL_MAX);
        CHECK(facts.node_range_count <= ACPI_NODE_RANGES_MAX);
    }
}

/* ---- the machine's map ---- */

static void test_ranges(void)
{
    static struct handoff handoff = {
        .range_count = 5,
        .ranges = {{0, 0xa0, MEMORY_FREE},
                   {0x100000, 0x100, MEMORY_FREE},
                   {0x200000, 0x10, MEMORY_ACPI},
                   {0x210000, 0x10, MEMORY_DEVICE},
                   {0x220000, 0x10, MEMORY_OTHER}},
    };

    CHECK(ranges_are_memory(&handoff, 0x100000, 1));
    CHECK(ranges_are_memory(&handoff, 0x1ffffc, 8)); /* across two that adjoin */
    CHECK(ranges_are_memory(&handoff, 0x100000, 0x110000));
    CHECK(!ranges_are_memory(&handoff, 0x100000, 0x110001));
    CHECK(ranges_are_memory(&handoff, 0x22fff0, 16));
    CHECK(!ranges_are_memory(&handoff, 0x22fff0, 17));
    CHECK(!ranges_are_memory(&handoff, 0x210000, 1));
    CHECK(!ranges_are_memory(&handoff, 0x10, 16)); /* page 0 */
    CHECK(ranges_are_memory(&handoff, 0xf0000, 0x10000));
    CHECK(!ranges_are_memory(&handoff, 0xf0000, 0x10001));
    CHECK(!ranges_are_memory(&handoff, 0xdffff, 2));
    CHECK(!ranges_are_memory(&handoff, UINT64_MAX - 7, 16));

    CHECK(ranges_may_be_device(&handoff, 0x210000, 0x20000, 36));
    CHECK(!ranges_may_be_device(&handoff, 0x20ffff, 2, 36));
    CHECK(!ranges_may_be_device(&handoff, 0x80000, 0x100000, 36));
    CHECK(ranges_may_be_device(&handoff, HPET, 0x400, 36));
    CHECK(!ranges_may_be_device(&handoff, 0, 0x400, 36));
    CHECK(ranges_may_be_device(&handoff, (1ull << 36) - 1024, 1024, 36));
    CHECK(!ranges_may_be_device(&handoff, (1ull << 36) - 1024, 1025, 36));
    CHECK(!ranges_may_be_device(&handoff, 1ull << 46, 8, 52));
    CHECK(!ranges_may_be_device(&handoff, UINT64_MAX - 7, 16, 52));
}

/* A screen that is one, and what makes it none. */
static void check_screen(const struct framebuffer *reported, uint64_t address)
{
    static struct handoff handoff = {
        .range_count = 2,
        .ranges = {{0, 0x80000, MEMORY_FREE}, {0x900000000, 0x1000, MEMORY_OTHER}},
    };

    handoff.framebuffer = *reported;
    ranges_check_screen(&handoff, 40);
    CHECK_EQUAL(handoff.framebuffer.address, address);
}

static void test_screen(void)
{
    static const struct framebuffer good = {0x80000000, 16u << 20, 1280, 800, 1280};
    static const uint64_t places[] = {0x80000000, 0x900000000, 0xff00000000};
    static const uint64_t bad[] = {0, 0x80000001, 0x7fff0000, 0x1000000, 1ull << 40, 0xfffff00000};
    struct framebuffer reported = good;

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        reported.address = places[i];
        check_screen(&reported, places[i]);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        reported.address = bad[i];
        check_screen(&reported, 0);
    }
    static const struct framebuffer liars[] = {
        {0x80000000, 1280 * 800 * 4 - 1, 1280, 800, 1280},
        {0x80000000, 16u << 20, 0, 0, 0},
        {0x80000000, 16u << 20, 1281, 800, 1280},
        {0x80000000, 16u << 20, 1280, 0, 1280},
        {0x80000000, UINT64_MAX, 1, UINT32_MAX, UINT32_MAX},
        {0x80000000, UINT64_MAX, 1, 1u << 31, 1u << 31}, /* 0 bytes, modulo 2^64 */
    };

    for (size_t i = 0; i < sizeof(liars) / sizeof(liars[0]); i++) {
        check_screen(&liars[i], 0);
    }
    check_screen(&good, 0x80000000);
}

int main(void)
{
    piece.bytes = malloc(SIZE);
    RUN(test_no_root());
    RUN(test_fallback());
    RUN(test_revision());
    RUN(test_loops());
    RUN(test_long_root());
    RUN(test_damaged());
    RUN(test_fadt());
    RUN(test_dsdt());
    RUN(test_sleep_in_ssdt());
    RUN(test_hpet());
    RUN(test_madt_usual());
    RUN(test_madt_forms());
    RUN(test_madt_disabled());
    RUN(test_madt_crowd());
    RUN(test_madt_address());
    RUN(test_madt_unknown());
    RUN(test_madt_cut());
    RUN(test_madt_overrides());
    RUN(test_madt_io_apics());
    RUN(test_srat_usual());
    RUN(test_srat_revision());
    RUN(test_srat_ranges());
    RUN(test_srat_cut());
    RUN(test_serial());
    RUN(test_random());
    RUN(test_ranges());
    RUN(test_screen());
    free(piece.bytes);
    return unit_finish("unit_acpi");
}
