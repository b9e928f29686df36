/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/dev/acpi.h"

#include <string.h>

#define HEADER_SIZE    36
#define TABLE_SIZE_MAX (1u << 20)
#define TABLES_MAX     256
#define IO_APIC_SIZE   12
#define OVERRIDE_SIZE  10
#define LAPIC_SIZE     8
#define X2APIC_SIZE    16
#define NO_LAPIC       0xffu /* the id of an entry that stands for nobody */
#define NO_X2APIC      0xffffffffu
#define FADT_BOOT_ARCH 3 /* the revision of ACPI 2.0: before it the field was reserved */
#define BOOT_ARCH_8042 (1u << 1)

/* Tables are unaligned and packed: fields are read byte by byte from their offset. */
struct table {
    const uint8_t *bytes;
    uint32_t length;
};

static uint64_t field(const struct table *table, size_t offset, size_t size)
{
    uint64_t value = 0;

    if (offset + size > table->length) {
        return 0;
    }
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)table->bytes[offset + i] << (8 * i);
    }
    return value;
}

static bool checksum_is_zero(const uint8_t *bytes, size_t length)
{
    uint8_t sum = 0;

    for (size_t i = 0; i < length; i++) {
        sum = (uint8_t)(sum + bytes[i]);
    }
    return sum == 0;
}

static bool open_table(uint64_t address, struct table *table)
{
    if (address == 0) {
        return false;
    }
    table->bytes = (const uint8_t *)(uintptr_t)address;
    table->length = HEADER_SIZE;
    const uint64_t length = field(table, 4, 4);

    if (length < HEADER_SIZE || length > TABLE_SIZE_MAX ||
        !checksum_is_zero(table->bytes, (size_t)length)) {
        return false;
    }
    table->length = (uint32_t)length;
    return true;
}

/* Generic address structure (ACPI 6.5 section 5.2.3.2), 12 bytes. */
static struct acpi_address read_address(const struct table *table, size_t offset)
{
    struct acpi_address at = {0};

    if (offset + 12 > table->length) {
        return at;
    }
    const uint8_t space = table->bytes[offset];

    if (space <= 1) {
        at.io = space == 1;
        at.width = table->bytes[offset + 1];
        at.access = table->bytes[offset + 3];
        at.address = field(table, offset + 4, 8);
    }
    return at;
}

static void read_fadt(const struct table *fadt, struct acpi_facts *facts)
{
    const struct acpi_address extended = read_address(fadt, 208);

    facts->pm_timer = extended;
    if (extended.address == 0) {
        facts->pm_timer = (struct acpi_address){.address = field(fadt, 76, 4), .io = true};
    }
    facts->pm_timer_32bit = field(fadt, 112, 4) >> 8 & 1;
    if (field(fadt, 8, 1) >= FADT_BOOT_ARCH && 109 + 2 <= fadt->length) {
        facts->i8042 = (field(fadt, 109, 2) & BOOT_ARCH_8042) != 0 ? ACPI_YES : ACPI_NO;
    }
}

/* Interrupt source override (ACPI 6.5 section 5.2.12.5). Bits 0-1 of the flags are the polarity,
 * bits 2-3 the trigger mode; 0 is the bus's own, for ISA active high and edge. */
static void read_override(const struct table *madt, size_t at, struct acpi_facts *facts)
{
    const uint64_t irq = field(madt, at + 3, 1);
    const uint64_t flags = field(madt, at + 8, 2);

    if (field(madt, at + 2, 1) == 0 && irq < ACPI_ISA_IRQS) {
        facts->isa[irq] = (struct acpi_interrupt){
            .gsi = (uint32_t)field(madt, at + 4, 4),
            .active_low = (flags & 3) == 3,
            .level = (flags >> 2 & 3) == 3,
        };
    }
}

static void add_io_apic(const struct table *madt, size_t at, struct acpi_facts *facts)
{
    if (facts->io_apic_count < ACPI_IO_APICS_MAX) {
        facts->io_apic_first[facts->io_apic_count] = (uint32_t)field(madt, at + 8, 4);
        facts->io_apics[facts->io_apic_count++] = field(madt, at + 4, 4);
    }
}

/* Some firmware lists a processor in both forms. */
static void add_processor(uint32_t apic_id, uint64_t flags, struct acpi_facts *facts)
{
    for (size_t i = 0; i < facts->processor_count; i++) {
        if (facts->processor[i].apic_id == apic_id) {
            return;
        }
    }
    facts->processors += flags & 1;
    if (facts->processor_count < ACPI_PROCESSORS_MAX) {
        facts->processor[facts->processor_count++] = (struct acpi_processor){
            .apic_id = apic_id,
            .enabled = (flags & 1) != 0,
            .online_capable = (flags & 2) != 0,
        };
    }
}

static void read_lapic(const struct table *madt, size_t at, struct acpi_facts *facts)
{
    const uint32_t id = (uint32_t)field(madt, at + 3, 1);

    if (id != NO_LAPIC) {
        add_processor(id, field(madt, at + 4, 4), facts);
    }
}

static void read_x2apic(const struct table *madt, size_t at, struct acpi_facts *facts)
{
    const uint32_t id = (uint32_t)field(madt, at + 4, 4);

    if (id != NO_X2APIC) {
        add_processor(id, field(madt, at + 8, 4), facts);
    }
}

static void read_madt(const struct table *madt, struct acpi_facts *facts)
{
    facts->lapic_address = field(madt, 36, 4);
    for (size_t at = 44; at + 2 <= madt->length;) {
        const uint8_t type = madt->bytes[at];
        const uint8_t size = madt->bytes[at + 1];

        if (size < 2 || at + size > madt->length) {
            return;
        }
        if (type == 0 && size >= LAPIC_SIZE) {
            read_lapic(madt, at, facts);
        } else if (type == 9 && size >= X2APIC_SIZE) {
            read_x2apic(madt, at, facts);
        } else if (type == 1 && size >= IO_APIC_SIZE) {
            add_io_apic(madt, at, facts);
        } else if (type == 2 && size >= OVERRIDE_SIZE) {
            read_override(madt, at, facts);
        } else if (type == 5) {
            facts->lapic_address = field(madt, at + 4, 8);
        }
        at += size;
    }
}

/* 16550, its subset, and "16550 with parameters from the address" (SPCR interface types). */
static bool is_16550(uint64_t type)
{
    return type == 0 || type == 1 || type == 0x12;
}

static void add_serial(struct acpi_facts *facts, const char *table, struct acpi_address base,
                       uint64_t clock_hz)
{
    if (base.address != 0 && facts->serial_count < ACPI_SERIAL_MAX) {
        facts->serial[facts->serial_count++] = (struct acpi_serial){table, base, clock_hz};
    }
}

static void read_spcr(const struct table *spcr, struct acpi_facts *facts)
{
    const bool has_clock = spcr->length >= 84 && field(spcr, 8, 1) >= 3;

    if (is_16550(field(spcr, 36, 1))) {
        add_serial(facts, "SPCR", read_address(spcr, 40), has_clock ? field(spcr, 80, 4) : 0);
    }
}

static void read_dbg2(const struct table *dbg2, struct acpi_facts *facts)
{
    size_t at = (size_t)field(dbg2, 36, 4);
    const uint64_t count = field(dbg2, 40, 4);

    for (uint64_t i = 0; i < count && at != 0 && at + 22 <= dbg2->length; i++) {
        const uint64_t size = field(dbg2, at + 1, 2);
        const uint64_t port_type = field(dbg2, at + 12, 2);
        const uint64_t port_subtype = field(dbg2, at + 14, 2);

        if (port_type == 0x8000 && is_16550(port_subtype)) {
            add_serial(facts, "DBG2", read_address(dbg2, at + (size_t)field(dbg2, at + 18, 2)), 0);
        }
        if (size < 22) {
            return;
        }
        at += (size_t)size;
    }
}

static void read_hpet(const struct table *hpet, struct acpi_facts *facts)
{
    facts->hpet = read_address(hpet, 40);
}

static void note_signature(struct acpi_facts *facts, const struct table *table)
{
    const size_t length = strlen(facts->tables);

    if (length + 6 > sizeof(facts->tables)) {
        return;
    }
    char *at = facts->tables + length;

    if (length > 0) {
        *at++ = ' ';
    }
    for (size_t i = 0; i < 4; i++) {
        const char c = (char)table->bytes[i];

        *at++ = c > ' ' && c < 0x7f ? c : '?';
    }
    *at = '\0';
}

static const struct {
    const char *signature;
    void (*read)(const struct table *table, struct acpi_facts *facts);
} readers[] = {
    {"FACP", read_fadt}, {"APIC", read_madt}, {"SPCR", read_spcr},
    {"DBG2", read_dbg2}, {"HPET", read_hpet},
};

static void read_table(uint64_t address, const char *signature, struct acpi_facts *facts)
{
    struct table table;

    if (!open_table(address, &table)) {
        return;
    }
    if (signature == NULL) {
        note_signature(facts, &table);
        return;
    }
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
        if (strcmp(signature, readers[i].signature) == 0 &&
            memcmp(table.bytes, signature, 4) == 0) {
            readers[i].read(&table, facts);
        }
    }
}

/* Goes through the root table once for each reader, so that SPCR comes before DBG2 whatever the
 * order of the tables. */
static void read_root(const struct table *root, size_t entry_size, struct acpi_facts *facts)
{
    const size_t listed = (root->length - HEADER_SIZE) / entry_size;
    const size_t count = listed < TABLES_MAX ? listed : TABLES_MAX;

    for (size_t i = 0; i < count; i++) {
        read_table(field(root, HEADER_SIZE + i * entry_size, entry_size), NULL, facts);
    }
    for (size_t k = 0; k < sizeof(readers) / sizeof(readers[0]); k++) {
        for (size_t i = 0; i < count; i++) {
            read_table(field(root, HEADER_SIZE + i * entry_size, entry_size), readers[k].signature,
                       facts);
        }
    }
}

void acpi_read(uint64_t rsdp, struct acpi_facts *facts)
{
    memset(facts, 0, sizeof(*facts));
    for (uint32_t irq = 0; irq < ACPI_ISA_IRQS; irq++) {
        facts->isa[irq].gsi = irq;
    }
    if (rsdp == 0) {
        return;
    }
    const struct table pointer = {(const uint8_t *)(uintptr_t)rsdp, HEADER_SIZE};

    if (memcmp(pointer.bytes, "RSD PTR ", 8) != 0 || !checksum_is_zero(pointer.bytes, 20)) {
        return;
    }
    struct table root;
    const bool extended = pointer.bytes[15] >= 2;

    if (extended && open_table(field(&pointer, 24, 8), &root)) {
        read_root(&root, 8, facts);
    } else if (open_table(field(&pointer, 16, 4), &root)) {
        read_root(&root, 4, facts);
    }
}
