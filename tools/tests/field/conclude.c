/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables lie in one piece of memory that begins at 1 MiB, behind a root table that is made here:
 * dumps have addresses of another machine. */
#include "tools/tests/field/conclude.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "boot/memory_map.h"
#include "kernel/cpu/cache.h"
#include "kernel/cpu/kind.h"
#include "kernel/cpu/topology.h"
#include "kernel/dev/acpi.h"
#include "kernel/dev/smbios.h"
#include "kernel/plan/bytes.h"
#include "kernel/plan/handoff.h"
#include "kernel/plan/ranges.h"
#include "tools/base/alloc.h"
#include "tools/tests/field/dump_text.h"

#define MEMORY_BASE    0x100000u
#define HEADER_BYTES   36
#define RSDP_BYTES     36
#define FADT_DSDT      40
#define FADT_X_DSDT    140
#define MIB            (1024.0 * 1024)
#define STRIDE         40
#define PHYSICAL_BITS  46
#define PROCESSORS_MAX 1024

/* ---- ACPI ---- */

struct piece {
    uint8_t *bytes;
    size_t length;
};

static const void *piece_at(const void *context, uint64_t address, uint64_t length)
{
    const struct piece *piece = context;
    const uint64_t at = address - MEMORY_BASE;

    return address >= MEMORY_BASE && at <= piece->length && length <= piece->length - at
               ? piece->bytes + at
               : NULL;
}

static bool anywhere(const void *context, uint64_t address, uint64_t length)
{
    (void)context;
    return address != 0 && address + length > address;
}

static void set_checksum(uint8_t *bytes, size_t length, size_t at)
{
    uint8_t sum = 0;

    bytes[at] = 0;
    for (size_t i = 0; i < length; i++) {
        sum = (uint8_t)(sum + bytes[i]);
    }
    bytes[at] = (uint8_t)-sum;
}

static bool is_named(const struct dump *dump, const struct dump_table *table, const char *name)
{
    return table->length >= 4 && memcmp(dump->bytes + table->at, name, 4) == 0;
}

/* The FADT's addresses of the DSDT become those of this memory. A wrong checksum stays one. */
static void point_to_dsdt(uint8_t *fadt, size_t length, uint64_t dsdt)
{
    uint8_t before = 0;

    for (size_t i = 0; i < length; i++) {
        before = (uint8_t)(before + fadt[i]);
    }
    if (length >= FADT_DSDT + 4) {
        bytes_put(fadt + FADT_DSDT, dsdt, 4);
    }
    if (length >= FADT_X_DSDT + 8) {
        bytes_put(fadt + FADT_X_DSDT, dsdt, 8);
    }
    if (before == 0 && length > HEADER_BYTES) {
        set_checksum(fadt, length, 9);
    }
}

/* RSDP, XSDT, then the tables: all but those that are found in another way. */
static struct piece lay_out(const struct dump *dump)
{
    const size_t root_bytes = HEADER_BYTES + 8 * dump->table_count;
    struct piece piece = {.length = RSDP_BYTES + root_bytes + dump->byte_count};
    uint64_t dsdt = 0;
    size_t listed = 0;

    piece.bytes = alloc_zeroed(piece.length);
    uint8_t *root = piece.bytes + RSDP_BYTES;
    uint8_t *tables = root + root_bytes;
    const uint64_t tables_at = MEMORY_BASE + RSDP_BYTES + root_bytes;

    if (dump->byte_count > 0) {
        memcpy(tables, dump->bytes, dump->byte_count);
    }
    for (size_t i = 0; i < dump->table_count; i++) {
        const struct dump_table *table = &dump->tables[i];

        if (is_named(dump, table, "DSDT")) {
            dsdt = tables_at + table->at;
        } else if (!is_named(dump, table, "RSDT") && !is_named(dump, table, "XSDT") &&
                   !is_named(dump, table, "FACS") && !is_named(dump, table, "RSD ")) {
            bytes_put(root + HEADER_BYTES + 8 * listed++, tables_at + table->at, 8);
        }
    }
    for (size_t i = 0; dsdt != 0 && i < dump->table_count; i++) {
        if (is_named(dump, &dump->tables[i], "FACP")) {
            point_to_dsdt(tables + dump->tables[i].at, dump->tables[i].length, dsdt);
        }
    }
    memcpy(root, "XSDT", 4);
    bytes_put(root + 4, HEADER_BYTES + 8 * listed, 4);
    root[8] = 1;
    set_checksum(root, HEADER_BYTES + 8 * listed, 9);
    memcpy(piece.bytes, "RSD PTR ", 8);
    piece.bytes[15] = 2;
    bytes_put(piece.bytes + 20, RSDP_BYTES, 4);
    bytes_put(piece.bytes + 24, MEMORY_BASE + RSDP_BYTES, 8);
    set_checksum(piece.bytes, 20, 8);
    set_checksum(piece.bytes, RSDP_BYTES, 32);
    return piece;
}

static void print_address(FILE *out, const char *what, const struct acpi_address *at)
{
    if (at->address == 0) {
        fprintf(out, " %s none", what);
        return;
    }
    fprintf(out, " %s %s%" PRIx64 "h", what, at->io ? "port " : "", at->address);
    if (at->width != 0) {
        fprintf(out, " of %u bits", at->width);
    }
}

static void print_clocks(FILE *out, const struct acpi_facts *facts)
{
    fputs(";", out);
    print_address(out, "HPET", &facts->hpet);
    fputs(";", out);
    print_address(out, facts->pm_timer_32bit ? "PM timer (32)" : "PM timer", &facts->pm_timer);
}

/* Of the ISA bus: those that do not arrive as the bus has them. */
static void print_interrupts(FILE *out, const struct acpi_facts *facts)
{
    fprintf(out, "; local APIC %" PRIx64 "h; %zu I/O APICs", facts->lapic_address,
            facts->io_apic_count);
    for (uint32_t irq = 0; irq < ACPI_ISA_IRQS; irq++) {
        const struct acpi_interrupt *at = &facts->isa[irq];

        if (at->gsi != irq || at->active_low || at->level) {
            fprintf(out, " %" PRIu32 ">%" PRIu32 "%s%s", irq, at->gsi, at->active_low ? "-low" : "",
                    at->level ? "-level" : "");
        }
    }
}

static void print_power_off(FILE *out, const struct acpi_power_off *off)
{
    if (!off->known) {
        fputs("; S5 unknown", out);
        return;
    }
    fprintf(out, "; S5 %u %u at %" PRIx64 "h", off->sleep_type[0], off->sleep_type[1],
            off->control[0]);
    if (off->control[1] != 0) {
        fprintf(out, " and %" PRIx64 "h", off->control[1]);
    }
    if (off->command != 0) {
        fprintf(out, " behind %xh to %" PRIx64 "h", off->enable, off->command);
    }
}

static void print_nodes(FILE *out, const struct acpi_facts *facts)
{
    static const char *const answers[] = {"not stated", "no", "yes"};
    size_t placed = 0;

    for (size_t i = 0; i < facts->processor_count; i++) {
        placed += facts->processor[i].has_node ? 1 : 0;
    }
    fprintf(out, "; i8042 %s; node ranges %zu; processors with a node %zu", answers[facts->i8042],
            facts->node_range_count, placed);
}

static void conclude_acpi(FILE *out, const char *name, const struct dump *dump)
{
    static struct acpi_facts facts;
    struct piece piece = lay_out(dump);
    const struct acpi_memory memory = {piece_at, anywhere, &piece};

    acpi_read(&memory, MEMORY_BASE, &facts);
    fprintf(out, "%s: acpi: tables %s; %" PRIu32 " processors of %zu listed", name,
            facts.tables[0] != '\0' ? facts.tables : "none", facts.processors,
            facts.processor_count);
    print_interrupts(out, &facts);
    print_clocks(out, &facts);
    print_power_off(out, &facts.power_off);
    print_nodes(out, &facts);
    fprintf(out, "; serial ports %zu", facts.serial_count);
    for (size_t i = 0; i < facts.serial_count; i++) {
        print_address(out, facts.serial[i].table, &facts.serial[i].base);
    }
    fprintf(out, "; refused: %s\n", facts.refused[0] != '\0' ? facts.refused : "none");
    free(piece.bytes);
}

/* ---- CPUID ---- */

static struct {
    const struct dump *dump;
    unsigned processor;
} asked;

static struct cpuid_result answer(uint32_t leaf, uint32_t subleaf)
{
    return dump_cpuid(asked.dump, asked.processor, leaf, subleaf);
}

static void print_kind(FILE *out, const struct cpu_kinds *kinds, size_t index, unsigned count)
{
    char name[CPU_KIND_NAME_MAX];

    fprintf(out, "; %u %s:", count, cpu_kind_name(kinds, index, name));
    for (size_t i = 0; i < kinds->kind[index].cache_count; i++) {
        char cache[CACHE_NAME_MAX];
        char text[CACHE_TEXT_MAX];

        fprintf(out, "%s L%s %s", i > 0 ? "," : "", cache_name(&kinds->kind[index].cache[i], cache),
                cache_text(&kinds->kind[index].cache[i], text));
    }
    if (kinds->kind[index].cache_count == 0) {
        fputs(" caches unknown", out);
    }
}

/* Leaf 0Bh or 1Fh where it is there, else leaf 1. */
static uint32_t apic_id(const struct cpu_identity *identity)
{
    const uint32_t leaf = identity->max_basic >= 0x1f && answer(0x1f, 0).ebx != 0 ? 0x1f : 0x0b;
    const struct cpuid_result r = cpuid_leaf(answer, identity, leaf, 0);

    return r.ebx != 0 ? r.edx : answer(1, 0).ebx >> 24;
}

static int compare_words(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Sorts them on the way. */
static unsigned distinct(uint64_t *words, unsigned count)
{
    unsigned found = 0;

    qsort(words, count, sizeof(*words), compare_words);
    for (unsigned i = 0; i < count; i++) {
        found += i == 0 || words[i] != words[i - 1] ? 1 : 0;
    }
    return found;
}

/* As the image counts them: by what the first processor states. */
static void print_places(FILE *out, const struct cpu_identity *identity, unsigned count)
{
    static uint64_t packages[PROCESSORS_MAX];
    static uint64_t cores[PROCESSORS_MAX];
    static uint64_t ids[PROCESSORS_MAX];
    struct topology topology;

    topology_read(answer, identity, &topology);
    for (unsigned i = 0; i < count; i++) {
        asked.processor = i;
        ids[i] = apic_id(identity);

        const struct topology_place place = topology_place_of(&topology, (uint32_t)ids[i]);

        packages[i] = place.package;
        cores[i] = (uint64_t)place.package << 32 | place.core;
    }
    fprintf(out, "; by %s, %u + %u bits: %u packages, %u cores", topology.source,
            topology.package_bits - topology.thread_bits, topology.thread_bits,
            distinct(packages, count), distinct(cores, count));
    if (distinct(ids, count) < count) {
        fprintf(out, ", %u APIC ids", distinct(ids, count));
    }
}

static void conclude_cpuid(FILE *out, const char *name, const struct dump *dump)
{
    const unsigned count = dump->processors < PROCESSORS_MAX ? dump->processors : PROCESSORS_MAX;
    static struct cpu_kind kind[PROCESSORS_MAX];
    struct cpu_kinds kinds = {0};
    struct cpu_identity identity;

    asked.dump = dump;
    for (unsigned i = 0; i < count; i++) {
        asked.processor = i;
        cpu_identify(answer, &identity);
        cpu_kind_read(answer, &identity, &kind[i]);
        cpu_kinds_add(&kinds, &kind[i]);
    }
    asked.processor = 0;
    cpu_identify(answer, &identity);
    fprintf(out, "%s: cpuid: %u processors, %s family %" PRIx32 "h model %" PRIx32 "h", name, count,
            identity.vendor, identity.family, identity.model);
    for (size_t k = 0; k < kinds.count; k++) {
        unsigned of_kind = 0;

        for (unsigned i = 0; i < count; i++) {
            of_kind += cpu_kinds_find(&kinds, &kind[i]) == k ? 1 : 0;
        }
        print_kind(out, &kinds, k, of_kind);
    }
    print_places(out, &identity, count);
    fputc('\n', out);
}

/* ---- SMBIOS ---- */

static void conclude_smbios(FILE *out, const char *name, const uint8_t *bytes, size_t length)
{
    struct smbios_memory memory;
    struct smbios_device least;

    smbios_read(bytes, length, &memory);
    const char *why = smbios_speed(&memory, &least);

    fprintf(out, "%s: smbios: %zu places, %zu modules", name, memory.places, memory.count);
    for (size_t i = 0; i < memory.count; i++) {
        char text[SMBIOS_TEXT_MAX];

        fprintf(out, "; %s", smbios_text(&memory.device[i], text));
    }
    fprintf(out, "; peak: %s\n", why != NULL ? why : "known");
}

/* As dmidecode --dump-bin writes it: the entry point, which leads to offset 32. False: it is none.
 */
static bool conclude_dump_bin(FILE *out, const char *name, const uint8_t *bytes, size_t length)
{
    uint64_t address;
    size_t table;

    if (length < SMBIOS_ENTRY_MAX || memcmp(bytes, "_SM", 3) != 0) {
        return false;
    }
    if (!smbios_entry(bytes, length, &address, &table) || address > length) {
        fprintf(out, "%s: smbios: refused: the entry point has a wrong checksum or address\n",
                name);
        return true;
    }
    conclude_smbios(out, name, bytes + address,
                    length - address < table ? length - address : table);
    return true;
}

/* ---- the memory map ---- */

static void conclude_map(FILE *out, const char *name, const struct dump *dump)
{
    static const char *const kinds[] = {
        [MEMORY_FREE] = "free",
        [MEMORY_SPECIAL] = "special purpose",
        [MEMORY_FIRMWARE] = "firmware",
        [MEMORY_RUNTIME_CODE] = "runtime code",
        [MEMORY_RUNTIME_DATA] = "runtime data",
        [MEMORY_ACPI] = "ACPI",
        [MEMORY_DEVICE] = "devices",
        [MEMORY_OTHER] = "other",
    };
    static struct handoff handoff;
    double bytes[sizeof(kinds) / sizeof(kinds[0])] = {0};
    uint8_t *map = alloc_zeroed(dump->range_count * STRIDE);

    for (size_t i = 0; i < dump->range_count; i++) {
        const struct dump_range *range = &dump->ranges[i];

        bytes_put(map + i * STRIDE, range->type, 4);
        bytes_put(map + i * STRIDE + 8, range->start, 8);
        bytes_put(map + i * STRIDE + 24, range->pages, 8);
        bytes_put(map + i * STRIDE + 32, range->attribute, 8);
    }
    memory_map_reduce(map, dump->range_count * STRIDE, STRIDE, ranges_limit(PHYSICAL_BITS),
                      &handoff);
    for (uint32_t i = 0; i < handoff.range_count; i++) {
        bytes[handoff.ranges[i].kind] += (double)handoff.ranges[i].pages * 4096;
    }
    fprintf(out, "%s: map: %" PRIu32 " ranges of %zu", name, handoff.range_count,
            dump->range_count);
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        if (bytes[k] > 0) {
            fprintf(out, "; %s %.2f MiB", kinds[k], bytes[k] / MIB);
        }
    }
    fprintf(out, "; refused: %" PRIu32 "%s\n", handoff.descriptors_refused,
            handoff.ranges_overlap ? "; ranges overlap" : "");
    free(map);
}

/* ---- a file ---- */

static bool is_text(const uint8_t *bytes, size_t length)
{
    return memchr(bytes, '\0', length) == NULL;
}

/* One raw table: its length is the file's. */
static bool conclude_raw_table(FILE *out, const char *name, const uint8_t *bytes, size_t length)
{
    struct dump_table table = {0, length};
    struct dump dump = {.tables = &table, .table_count = 1, .byte_count = length};

    if (length < HEADER_BYTES ||
        (bytes[4] | (size_t)bytes[5] << 8 | (size_t)bytes[6] << 16) != length) {
        return false;
    }
    dump.bytes = alloc_zeroed(length);
    memcpy(dump.bytes, bytes, length);
    conclude_acpi(out, name, &dump);
    free(dump.bytes);
    return true;
}

static unsigned conclude_text(FILE *out, const char *name, const uint8_t *bytes, size_t length)
{
    struct dump dump;
    unsigned lines = 0;

    dump_read(&dump, (const char *)bytes, length);
    if (dump.table_count > 0) {
        conclude_acpi(out, name, &dump);
        lines++;
    }
    if (dump.leaf_count > 0) {
        conclude_cpuid(out, name, &dump);
        lines++;
    }
    if (dump.range_count > 0) {
        conclude_map(out, name, &dump);
        lines++;
    }
    if (dump.dmi.count > 0) {
        conclude_smbios(out, name, dump.dmi.structures, dump.dmi.count * DMI_TEXT_BYTES);
        lines++;
    }
    dump_free(&dump);
    return lines;
}

unsigned conclude(FILE *out, const char *name, const uint8_t *bytes, size_t length)
{
    if (length == 0) {
        return 0;
    }
    if (is_text(bytes, length)) {
        return conclude_text(out, name, bytes, length);
    }
    if (!conclude_dump_bin(out, name, bytes, length) &&
        !conclude_raw_table(out, name, bytes, length)) {
        conclude_smbios(out, name, bytes, length);
    }
    return 1;
}
