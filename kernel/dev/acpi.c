/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/dev/acpi.h"
#include "kernel/dev/aml_sleep.h"
#include "kernel/plan/bytes.h"

#include <stdio.h>
#include <string.h>

#define HEADER_SIZE        36
#define CHECKSUM_AT        9
#define RSDP_SIZE_1        20 /* in ACPI 1.0; the second checksum covers the bytes after it */
#define RSDP_SIZE_2        36
#define RSDP_2             2     /* revision of the RSDP from ACPI 2.0 on */
#define DEVICE_BYTES       0x400 /* size assumed for a device's registers: that of an HPET */
#define TABLE_SIZE_MAX     (1u << 20)
#define TABLES_MAX         256
#define LISTED_MAX         1024 /* most entries of a root table: each may cost a checksum */
#define IO_APIC_SIZE       12
#define IO_APIC_ALIGNED    256
#define OVERRIDE_SIZE      10
#define LAPIC_SIZE         8
#define X2APIC_SIZE        16
#define LAPIC_ADDRESS_SIZE 12
#define NO_LAPIC           0xffu /* APIC id of an unused entry */
#define NO_X2APIC          0xffffffffu
#define SRAT_LAPIC_SIZE    16
#define SRAT_MEMORY_SIZE   40
#define SRAT_X2APIC_SIZE   24
#define ADDRESS_END        (1ull << 52) /* end of the architecture's physical addresses */
#define FADT_BOOT_ARCH     3 /* FADT revision of ACPI 2.0; earlier ones reserve the field */
#define BOOT_ARCH_8042     (1u << 1)

/* A table in memory. Tables are packed and unaligned, so fields are read byte by byte at their
 * offset. */
struct table {
    const uint8_t *bytes;
    uint32_t length;
};

static uint64_t field(const struct table *table, size_t offset, size_t size)
{
    return offset + size > table->length ? 0 : bytes_get(table->bytes + offset, size);
}

/* Copies a name of four characters. Replaces characters that are not printable. */
static void copy_name(char name[5], const uint8_t *bytes)
{
    for (size_t i = 0; i < 4; i++) {
        name[i] = (char)(bytes[i] > ' ' && bytes[i] < 0x7f ? bytes[i] : '?');
    }
    name[4] = '\0';
}

#define LEFT_OUT " ..."

/* Appends to a list. A full list ends with LEFT_OUT, for which room is always kept. */
static void append(char *list, size_t size, const char *separator, const char *text)
{
    const size_t mark = strlen(LEFT_OUT);
    const size_t used = strlen(list);

    if (used >= mark && strcmp(list + used - mark, LEFT_OUT) == 0) {
        return;
    }
    if (used + strlen(separator) + strlen(text) + mark < size) {
        snprintf(list + used, size - used, "%s%s", used > 0 ? separator : "", text);
    } else {
        snprintf(list + used, size - used, LEFT_OUT);
    }
}

/* Returns true if the list contains the text. Unlike the C library's strstr(), which is made for
 * long texts, this does not take 1 KB of the image. */
static bool holds(const char *list, const char *text)
{
    while (*list != '\0' && strncmp(list, text, strlen(text)) != 0) {
        list++;
    }
    return *list != '\0';
}

/* Adds a rejection to the list, unless an equal one is in it. */
static void refuse(struct acpi_facts *facts, const char *name, const char *why)
{
    char text[32];

    snprintf(text, sizeof(text), "%s %s", name, why);
    if (!holds(facts->refused, text)) {
        append(facts->refused, sizeof(facts->refused), ", ", text);
    }
}

/* Decodes a generic address structure (ACPI 6.5 section 5.2.3.2) of 12 bytes. */
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

/* ---- switching off ---- */

/* Returns the I/O port of a PM1 control register, from its extended address if it has one. Returns
 * 0 if it is not at a port. */
static uint64_t control_port(const struct table *fadt, size_t offset, size_t extended_offset)
{
    const struct acpi_address extended = read_address(fadt, extended_offset);
    const uint64_t port =
        extended.address != 0 && extended.io ? extended.address : field(fadt, offset, 4);

    return port <= UINT16_MAX ? port : 0;
}

static bool has_sleep_types(const struct table *table, uint8_t types[2])
{
    return aml_sleep_types(table->bytes + HEADER_SIZE, table->length - HEADER_SIZE, types);
}

static void read_control(const struct table *fadt, struct acpi_power_off *off)
{
    off->control[0] = control_port(fadt, 64, 172);
    off->control[1] = control_port(fadt, 68, 184);
    off->command = field(fadt, 48, 4) <= UINT16_MAX ? field(fadt, 48, 4) : 0;
    off->enable = (uint8_t)field(fadt, 52, 1);
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

/* Decodes an interrupt source override (ACPI 6.5 section 5.2.12.5). Bits 0-1 of the flags are the
 * polarity, bits 2-3 the trigger mode; 0 is the default of the bus, for ISA active high and edge.
 */
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
    const uint64_t address = field(madt, at + 4, 4);

    for (size_t i = 0; i < facts->io_apic_count; i++) {
        if (facts->io_apics[i] == address) {
            return;
        }
    }
    if (facts->io_apic_count < ACPI_IO_APICS_MAX) {
        facts->io_apic_first[facts->io_apic_count] = (uint32_t)field(madt, at + 8, 4);
        facts->io_apics[facts->io_apic_count++] = address;
    }
}

/* Merges two entries of one APIC id. Some firmware lists a processor in both forms, or lists both a
 * free place and the processor that has taken it. An enabled entry wins, whatever its position in
 * the table. */
static void merge_processor(struct acpi_processor *known, const struct acpi_processor *again,
                            struct acpi_facts *facts)
{
    known->repeated = known->repeated || (known->x2apic && again->x2apic && known->enabled &&
                                          again->enabled && known->uid != again->uid);
    if (again->enabled && !known->enabled) {
        facts->processors++;
        *known = *again;
    }
    known->online_capable = known->online_capable || again->online_capable;
}

static void add_processor(const struct acpi_processor *processor, struct acpi_facts *facts)
{
    for (size_t i = 0; i < facts->processor_count; i++) {
        if (facts->processor[i].apic_id == processor->apic_id) {
            merge_processor(&facts->processor[i], processor, facts);
            return;
        }
    }
    facts->processors += processor->enabled ? 1 : 0;
    if (facts->processor_count == ACPI_PROCESSORS_MAX) {
        refuse(facts, "APIC", "too many processors");
        return;
    }
    facts->processor[facts->processor_count++] = *processor;
}

static void read_lapic(const struct table *madt, size_t at, struct acpi_facts *facts)
{
    const uint64_t flags = field(madt, at + 4, 4);
    const struct acpi_processor processor = {
        .apic_id = (uint32_t)field(madt, at + 3, 1),
        .uid = (uint32_t)field(madt, at + 2, 1),
        .enabled = (flags & 1) != 0,
        .online_capable = (flags & 2) != 0,
    };

    if (processor.apic_id != NO_LAPIC) {
        add_processor(&processor, facts);
    }
}

static void read_x2apic(const struct table *madt, size_t at, struct acpi_facts *facts)
{
    const uint64_t flags = field(madt, at + 8, 4);
    const struct acpi_processor processor = {
        .apic_id = (uint32_t)field(madt, at + 4, 4),
        .uid = (uint32_t)field(madt, at + 12, 4),
        .x2apic = true,
        .enabled = (flags & 1) != 0,
        .online_capable = (flags & 2) != 0,
    };

    if (processor.apic_id != NO_X2APIC) {
        add_processor(&processor, facts);
    }
}

/* Drops APIC ids that occur in enabled entries with different processor UIDs. Such an id is the
 * pattern with which firmware fills unused entries: two processors never have the same id. */
static void drop_repeated(struct acpi_facts *facts)
{
    size_t good = 0;

    for (size_t i = 0; i < facts->processor_count; i++) {
        if (facts->processor[i].repeated) {
            refuse(facts, "APIC", "x2APIC id repeated");
            facts->processors--;
        } else {
            facts->processor[good++] = facts->processor[i];
        }
    }
    facts->processor_count = good;
}

/* Reads the entries up to the end of the table. Each has a type, a length and the data of its type.
 */
static void read_entries(const struct table *table, size_t at, const char *name,
                         void (*read)(const struct table *table, size_t at,
                                      struct acpi_facts *facts),
                         struct acpi_facts *facts)
{
    while (at + 2 <= table->length) {
        const uint8_t size = table->bytes[at + 1];

        if (size < 2 || at + size > table->length) {
            refuse(facts, name, "bad entry");
            return;
        }
        read(table, at, facts);
        at += size;
    }
}

static void read_madt_entry(const struct table *madt, size_t at, struct acpi_facts *facts)
{
    const uint8_t type = madt->bytes[at];
    const uint8_t size = madt->bytes[at + 1];

    if (type == 0 && size >= LAPIC_SIZE) {
        read_lapic(madt, at, facts);
    } else if (type == 9 && size >= X2APIC_SIZE) {
        read_x2apic(madt, at, facts);
    } else if (type == 1 && size >= IO_APIC_SIZE) {
        add_io_apic(madt, at, facts);
    } else if (type == 2 && size >= OVERRIDE_SIZE) {
        read_override(madt, at, facts);
    } else if (type == 5 && size >= LAPIC_ADDRESS_SIZE) {
        facts->lapic_address = field(madt, at + 4, 8);
    }
}

static void read_madt(const struct table *madt, struct acpi_facts *facts)
{
    facts->lapic_address = field(madt, 36, 4);
    read_entries(madt, 44, "APIC", read_madt_entry, facts);
    drop_repeated(facts);
}

/* ---- SRAT ---- */

/* Returns a proximity domain. The upper bytes were reserved in revision 1. */
static uint32_t domain(const struct table *srat, uint64_t low, uint64_t upper)
{
    return (uint32_t)(field(srat, 8, 1) >= 2 ? low | upper << 8 : low & 0xff);
}

/* Sets the node of a processor. If several entries are for the processor, the first one wins. */
static void put_processor(uint64_t apic_id, uint32_t node, struct acpi_facts *facts)
{
    for (size_t i = 0; i < facts->processor_count; i++) {
        struct acpi_processor *processor = &facts->processor[i];

        if (processor->apic_id == apic_id && !processor->has_node) {
            processor->has_node = true;
            processor->node = node;
        }
    }
}

static bool overlaps(const struct acpi_node_range *a, const struct acpi_node_range *b)
{
    return a->address < b->address + b->bytes && b->address < a->address + a->bytes;
}

/* Returns NULL if the range is valid, otherwise what is wrong with it. */
static const char *check_node_range(const struct acpi_node_range *range,
                                    const struct acpi_facts *facts)
{
    if (range->bytes > ADDRESS_END || range->address > ADDRESS_END - range->bytes) {
        return "bad address";
    }
    for (size_t i = 0; i < facts->node_range_count; i++) {
        if (facts->node_range[i].node != range->node && overlaps(&facts->node_range[i], range)) {
            return "nodes overlap";
        }
    }
    return facts->node_range_count == ACPI_NODE_RANGES_MAX ? "too many ranges" : NULL;
}

static void add_node_range(const struct table *srat, size_t at, struct acpi_facts *facts)
{
    const struct acpi_node_range range = {
        .address = field(srat, at + 8, 8),
        .bytes = field(srat, at + 16, 8),
        .node = domain(srat, field(srat, at + 2, 4), 0),
    };
    const char *why = range.bytes != 0 ? check_node_range(&range, facts) : NULL;

    if (why != NULL) {
        refuse(facts, "SRAT", why);
    } else if (range.bytes != 0) {
        facts->node_range[facts->node_range_count++] = range;
    }
}

/* Decodes an entry of the SRAT. Bit 0 of the flags: the entry is in use. Ranges for memory that can
 * be plugged in later (bit 1) are read as well, because some of it is present from the start. */
static void read_srat_entry(const struct table *srat, size_t at, struct acpi_facts *facts)
{
    const uint8_t type = srat->bytes[at];
    const uint8_t size = srat->bytes[at + 1];

    if (type == 0 && size >= SRAT_LAPIC_SIZE && (field(srat, at + 4, 4) & 1) != 0) {
        put_processor(field(srat, at + 3, 1),
                      domain(srat, field(srat, at + 2, 1), field(srat, at + 9, 3)), facts);
    } else if (type == 1 && size >= SRAT_MEMORY_SIZE && (field(srat, at + 28, 4) & 1) != 0) {
        add_node_range(srat, at, facts);
    } else if (type == 2 && size >= SRAT_X2APIC_SIZE && (field(srat, at + 12, 4) & 1) != 0) {
        put_processor(field(srat, at + 8, 4), (uint32_t)field(srat, at + 4, 4), facts);
    }
}

static void read_srat(const struct table *srat, struct acpi_facts *facts)
{
    read_entries(srat, 48, "SRAT", read_srat_entry, facts);
}

/* Returns true for a 16550, its subset, "16550 with parameters from the address", and Intel LPSS,
 * which is a 16550 with 32-bit registers (interface types of SPCR, subtypes of DBG2). */
static bool is_16550(uint64_t type)
{
    return type == 0 || type == 1 || type == 0x12 || type == 0x14;
}

static void add_serial(struct acpi_facts *facts, const char *table, struct acpi_address base,
                       uint64_t clock_hz, uint64_t baud)
{
    if (base.address != 0 && facts->serial_count < ACPI_SERIAL_MAX) {
        facts->serial[facts->serial_count++] =
            (struct acpi_serial){table, base, clock_hz, (uint32_t)baud};
    }
}

/* Returns the speed of the SPCR's line, or 0. The code of the speed is replaced by the precise
 * speed of revision 4, unless that is 0. */
static uint64_t spcr_baud(const struct table *spcr)
{
    static const uint32_t speeds[] = {[3] = 9600, [4] = 19200, [6] = 57600, [7] = 115200};
    const uint64_t precise = field(spcr, 8, 1) >= 4 ? field(spcr, 80, 4) : 0;
    const uint64_t code = field(spcr, 58, 1);

    if (precise != 0) {
        return precise;
    }
    return code < sizeof(speeds) / sizeof(speeds[0]) ? speeds[code] : 0;
}

/* Decodes the SPCR. The UART's clock was added in revision 3; before, its field was reserved. */
static void read_spcr(const struct table *spcr, struct acpi_facts *facts)
{
    const uint64_t clock_hz = field(spcr, 8, 1) >= 3 ? field(spcr, 76, 4) : 0;

    if (is_16550(field(spcr, 36, 1))) {
        add_serial(facts, "SPCR", read_address(spcr, 40), clock_hz, spcr_baud(spcr));
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
        const uint64_t addresses = field(dbg2, at + 3, 1);
        const uint64_t offset = field(dbg2, at + 18, 2);

        if (port_type == 0x8000 && is_16550(port_subtype) && addresses != 0 &&
            offset + 12 <= size) {
            add_serial(facts, "DBG2", read_address(dbg2, at + (size_t)offset), 0, 0);
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

/* ---- finding the tables ---- */

/* All valid tables that the root tables list, each once. */
struct tables {
    const struct acpi_memory *memory;
    struct acpi_facts *facts;
    size_t of_this_root; /* index of the first table of the current root table */
    size_t count;
    struct table table[TABLES_MAX];
};

/* Opens and checks a table. Sets `name` to its signature, if that can be read. Returns NULL on
 * success, otherwise the reason. */
static const char *open_table(const struct acpi_memory *memory, uint64_t address, char name[5],
                              struct table *table)
{
    *table = (struct table){memory->at(memory->context, address, HEADER_SIZE), HEADER_SIZE};
    if (table->bytes == NULL) {
        snprintf(name, 5, "????");
        return "not in memory";
    }
    copy_name(name, table->bytes);
    const uint64_t length = field(table, 4, 4);

    if (length < HEADER_SIZE || length > TABLE_SIZE_MAX) {
        return "bad length";
    }
    if (memory->at(memory->context, address, length) == NULL) {
        return "ends outside memory";
    }
    table->length = (uint32_t)length;
    return bytes_sum_is_zero(table->bytes, (size_t)length) ? NULL : "bad checksum";
}

/* Returns the index of the table at `bytes`, or the number of tables if it is not listed. */
static size_t find_table(const struct tables *tables, const uint8_t *bytes)
{
    size_t i = 0;

    while (i < tables->count && tables->table[i].bytes != bytes) {
        i++;
    }
    return i;
}

/* Returns true for a root table. Root tables must not list root tables. */
static bool is_root(const struct table *table)
{
    return memcmp(table->bytes + 1, "SDT", 3) == 0 &&
           (table->bytes[0] == 'X' || table->bytes[0] == 'R');
}

static void add_table(struct tables *tables, uint64_t address)
{
    struct table table;
    char name[5];
    const char *why = open_table(tables->memory, address, name, &table);

    const size_t known = why == NULL ? find_table(tables, table.bytes) : tables->count;

    if (known < tables->of_this_root) {
        return;
    }
    if (why == NULL && (is_root(&table) || known < tables->count)) {
        why = "listed twice";
    }
    if (why == NULL && tables->count == TABLES_MAX) {
        why = "too many tables";
    }
    if (why != NULL) {
        refuse(tables->facts, name, why);
        return;
    }
    tables->table[tables->count++] = table;
}

/* Adds all tables that a root table lists. Returns true if the root table is valid and lists a
 * FADT, which every machine has. */
static bool add_listed(struct tables *tables, uint64_t address, const char *signature,
                       size_t entry_size)
{
    struct table root;
    char name[5];
    const char *why = open_table(tables->memory, address, name, &root);
    bool complete = false;

    if (why == NULL && memcmp(root.bytes, signature, 4) != 0) {
        why = "wrong signature";
    }
    if (why != NULL) {
        refuse(tables->facts, signature, why);
        return false;
    }
    tables->of_this_root = tables->count;
    if (root.length > HEADER_SIZE + LISTED_MAX * entry_size) {
        refuse(tables->facts, signature, "too long");
        root.length = (uint32_t)(HEADER_SIZE + LISTED_MAX * entry_size);
    }
    for (size_t at = HEADER_SIZE; at + entry_size <= root.length; at += entry_size) {
        const uint64_t entry = field(&root, at, entry_size);
        const size_t count = tables->count;

        if (entry != 0) { /* some firmware leaves gaps */
            add_table(tables, entry);
        }
        complete = complete ||
                   (tables->count > count && memcmp(tables->table[count].bytes, "FACP", 4) == 0);
    }
    return complete;
}

/* Reads the XSDT, and the RSDT as well if the XSDT does not lead to a FADT. After an RSDP of ACPI
 * 1.0 there may be any bytes, so its XSDT address is used only if the second checksum is right. An
 * RSDP of a newer revision is used even with a wrong second checksum. */
static void find_tables(struct tables *tables, uint64_t rsdp)
{
    const struct acpi_memory *memory = tables->memory;
    struct table pointer = {memory->at(memory->context, rsdp, RSDP_SIZE_1), RSDP_SIZE_1};

    if (pointer.bytes == NULL || memcmp(pointer.bytes, "RSD PTR ", 8) != 0 ||
        !bytes_sum_is_zero(pointer.bytes, RSDP_SIZE_1)) {
        refuse(tables->facts, "RSDP", pointer.bytes == NULL ? "not in memory" : "bad checksum");
        return;
    }
    if (memory->at(memory->context, rsdp, RSDP_SIZE_2) != NULL) {
        pointer.length = RSDP_SIZE_2;
    }
    const bool is_2 = field(&pointer, 15, 1) >= RSDP_2;
    const bool whole =
        pointer.length == RSDP_SIZE_2 && bytes_sum_is_zero(pointer.bytes, RSDP_SIZE_2);
    const uint64_t xsdt = is_2 || whole ? field(&pointer, 24, 8) : 0;
    const uint64_t rsdt = field(&pointer, 16, 4);

    if (is_2 && !whole) {
        refuse(tables->facts, "RSDP", "bad second checksum");
    }
    if (xsdt != 0 && add_listed(tables, xsdt, "XSDT", 8)) {
        return;
    }
    if (rsdt != 0) {
        add_listed(tables, rsdt, "RSDT", 4);
    }
}

/* ---- addresses ---- */

/* Returns true if registers can be at the address: it is within reach, and not memory in the
 * firmware's map. */
static bool is_good(const struct tables *tables, const char *name, const struct acpi_address *at,
                    uint64_t alignment)
{
    const struct acpi_memory *memory = tables->memory;
    const bool good = at->io
                          ? at->address <= UINT16_MAX
                          : at->address % alignment == 0 &&
                                memory->may_be_device(memory->context, at->address, DEVICE_BYTES);

    if (!good && at->address != 0) {
        refuse(tables->facts, name, "bad address");
    }
    return good && at->address != 0;
}

static void check_io_apics(struct tables *tables)
{
    struct acpi_facts *facts = tables->facts;
    size_t good = 0;

    for (size_t i = 0; i < facts->io_apic_count; i++) {
        const struct acpi_address at = {.address = facts->io_apics[i]};

        if (is_good(tables, "I/O APIC", &at, IO_APIC_ALIGNED)) {
            facts->io_apics[good] = facts->io_apics[i];
            facts->io_apic_first[good++] = facts->io_apic_first[i];
        }
    }
    facts->io_apic_count = good;
}

static void check_serial(struct tables *tables)
{
    struct acpi_facts *facts = tables->facts;
    size_t good = 0;

    for (size_t i = 0; i < facts->serial_count; i++) {
        if (is_good(tables, facts->serial[i].table, &facts->serial[i].base, 1)) {
            facts->serial[good++] = facts->serial[i];
        }
    }
    facts->serial_count = good;
}

static void check_addresses(struct tables *tables)
{
    struct acpi_facts *facts = tables->facts;
    const struct acpi_address lapic = {.address = facts->lapic_address};

    check_io_apics(tables);
    check_serial(tables);
    if (!is_good(tables, "HPET", &facts->hpet, 8)) {
        facts->hpet = (struct acpi_address){0};
    }
    if (!is_good(tables, "PM timer", &facts->pm_timer, 4)) {
        facts->pm_timer = (struct acpi_address){0};
    }
    if (!is_good(tables, "LAPIC", &lapic, 16)) {
        facts->lapic_address = 0;
    }
}

/* ---- reading the tables ---- */

/* The decoders in the order in which they run, whatever the order of the tables: SPCR before DBG2,
 * MADT before SRAT. */
static const struct {
    char signature[5];
    bool once; /* only the first table of this signature is read */
    void (*read)(const struct table *table, struct acpi_facts *facts);
} readers[] = {
    {"FACP", true, read_fadt},  {"APIC", false, read_madt}, {"SRAT", true, read_srat},
    {"SPCR", false, read_spcr}, {"DBG2", false, read_dbg2}, {"HPET", true, read_hpet},
};

/* Lists the signatures, each once: machines have dozens of SSDTs, listed as "SSDT*27". */
static void list_tables(const struct tables *tables)
{
    for (size_t i = 0; i < tables->count; i++) {
        const uint8_t *signature = tables->table[i].bytes;
        uint64_t *hash = &tables->facts->hash;
        size_t before = 0;
        size_t all = 0;
        char name[5];
        char text[16];

        for (size_t k = 0; k < tables->count; k++) {
            const bool same = memcmp(tables->table[k].bytes, signature, 4) == 0;

            before += same && k < i ? 1 : 0;
            all += same ? 1 : 0;
        }
        /* Addresses in a table may differ in each boot, and its checksum with them. */
        *hash = bytes_hash(*hash, signature, CHECKSUM_AT);
        *hash = bytes_hash(*hash, signature + CHECKSUM_AT + 1, HEADER_SIZE - CHECKSUM_AT - 1);
        copy_name(name, signature);
        snprintf(text, sizeof(text), all > 1 ? "%s*%u" : "%s", name, (unsigned)all);
        if (before == 0) {
            append(tables->facts->tables, sizeof(tables->facts->tables), " ", text);
        }
    }
}

static void read_tables(const struct tables *tables)
{
    for (size_t k = 0; k < sizeof(readers) / sizeof(readers[0]); k++) {
        for (size_t i = 0; i < tables->count; i++) {
            if (memcmp(tables->table[i].bytes, readers[k].signature, 4) != 0) {
                continue;
            }
            readers[k].read(&tables->table[i], tables->facts);
            if (readers[k].once) {
                break;
            }
        }
    }
}

/* Looks for the device's _HID, which is a text in the DSDT. */
static bool lists_fw_cfg(const struct table *dsdt)
{
    static const char hid[] = "QEMU0002";

    for (size_t at = HEADER_SIZE; at + sizeof(hid) <= dsdt->length; at++) {
        if (memcmp(dsdt->bytes + at, hid, sizeof(hid)) == 0) {
            return true;
        }
    }
    return false;
}

/* Finds \_S5. Some firmware has it in an SSDT. The DSDT is searched first, because an interpreter
 * loads it first. */
static bool find_sleep_types(const struct tables *tables, const struct table *dsdt,
                             uint8_t types[2])
{
    bool found = has_sleep_types(dsdt, types);

    for (size_t i = 0; !found && i < tables->count; i++) {
        found = memcmp(tables->table[i].bytes, "SSDT", 4) == 0 &&
                has_sleep_types(&tables->table[i], types);
    }
    return found;
}

static void read_power_off(const struct tables *tables, const struct table *fadt,
                           const struct table *dsdt)
{
    struct acpi_power_off *off = &tables->facts->power_off;

    read_control(fadt, off);
    off->known = off->control[0] != 0 && find_sleep_types(tables, dsdt, off->sleep_type);
}

/* Reads the DSDT, whose address is in the first FADT; no root table lists it. */
static void read_dsdt(const struct tables *tables)
{
    struct table dsdt;
    char name[5];

    for (size_t i = 0; i < tables->count; i++) {
        const struct table *fadt = &tables->table[i];

        if (memcmp(fadt->bytes, "FACP", 4) != 0) {
            continue;
        }
        const uint64_t extended = field(fadt, 140, 8);
        const uint64_t address = extended != 0 ? extended : field(fadt, 40, 4);
        const char *why =
            address != 0 ? open_table(tables->memory, address, name, &dsdt) : "not stated";

        if (why == NULL) {
            read_power_off(tables, fadt, &dsdt);
            tables->facts->has_fw_cfg = lists_fw_cfg(&dsdt);
        } else if (address != 0) {
            refuse(tables->facts, "DSDT", why);
        }
        return;
    }
}

void acpi_read(const struct acpi_memory *memory, uint64_t rsdp, struct acpi_facts *facts)
{
    static struct tables tables;

    memset(facts, 0, sizeof(*facts));
    facts->hash = BYTES_HASH_BEGIN;
    for (uint32_t irq = 0; irq < ACPI_ISA_IRQS; irq++) {
        facts->isa[irq].gsi = irq;
    }
    if (rsdp == 0) {
        return;
    }
    tables.memory = memory;
    tables.facts = facts;
    tables.count = 0;
    find_tables(&tables, rsdp);
    list_tables(&tables);
    read_tables(&tables);
    read_dsdt(&tables);
    check_addresses(&tables);
}
