/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: ACPI tables that lie. The first byte chooses what is done to the rest, which is a
 * machine's memory from PIECE on with the root pointer at its beginning: an odd one makes the
 * checksums right of all tables that are listed, so that what is inside them is believed.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/plan/bytes.h"
#include "tools/tests/support/acpi_memory.h"
#include "tools/tests/support/demand.h"
#include "tools/tests/support/seal.h"

#define PIECE       0x7fe00000ull
#define HEADER      36
#define ENTRIES_MAX 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Its length; 0 where no table can be there. */
static size_t seal_table(const struct acpi_piece *piece, uint64_t address)
{
    const uint64_t offset = address - PIECE;

    if (address < PIECE || piece->length < HEADER || offset > piece->length - HEADER) {
        return 0;
    }
    const uint64_t length = bytes_get(piece->bytes + offset + 4, 4);

    if (length < HEADER || length > piece->length - offset) {
        return 0;
    }
    seal(piece->bytes + offset, length, 9);
    return length;
}

/* The root last: a table may lie over it. */
static void seal_listed(const struct acpi_piece *piece, uint64_t root, size_t entry_size)
{
    const size_t length = seal_table(piece, root);

    for (size_t i = 0; i < ENTRIES_MAX && HEADER + (i + 1) * entry_size <= length; i++) {
        seal_table(piece,
                   bytes_get(piece->bytes + (root - PIECE) + HEADER + i * entry_size, entry_size));
    }
    seal_table(piece, root);
}

static void seal_all(const struct acpi_piece *piece)
{
    if (piece->length < HEADER) {
        return;
    }
    seal_listed(piece, bytes_get(piece->bytes + 16, 4), 4);
    seal_listed(piece, bytes_get(piece->bytes + 24, 8), 8);
    seal(piece->bytes, 20, 8);
    seal(piece->bytes, HEADER, 32);
}

/* Ranges of memory end, and those of two nodes share nothing. */
static void check_nodes(const struct acpi_facts *facts)
{
    demand(facts->node_range_count <= ACPI_NODE_RANGES_MAX);
    for (size_t i = 0; i < facts->node_range_count; i++) {
        const struct acpi_node_range *range = &facts->node_range[i];

        demand(range->bytes > 0 && range->address + range->bytes > range->address);
        for (size_t k = 0; k < i; k++) {
            const struct acpi_node_range *other = &facts->node_range[k];

            demand(other->node == range->node || other->address + other->bytes <= range->address ||
                   range->address + range->bytes <= other->address);
        }
    }
}

static void check(const struct acpi_piece *piece, const struct acpi_facts *facts)
{
    demand(memchr(facts->tables, '\0', sizeof(facts->tables)) != NULL);
    demand(memchr(facts->refused, '\0', sizeof(facts->refused)) != NULL);
    demand(facts->processor_count <= ACPI_PROCESSORS_MAX);
    demand(facts->io_apic_count <= ACPI_IO_APICS_MAX);
    demand(facts->serial_count <= ACPI_SERIAL_MAX);
    check_nodes(facts);
    demand(facts->hpet.io || facts->hpet.address == 0 ||
           acpi_piece_is_device(piece, facts->hpet.address, 1));
    for (size_t i = 0; i < facts->io_apic_count; i++) {
        demand(acpi_piece_is_device(piece, facts->io_apics[i], 1));
    }
    for (size_t i = 0; i < facts->processor_count; i++) {
        for (size_t k = 0; k < i; k++) {
            demand(facts->processor[i].apic_id != facts->processor[k].apic_id);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct acpi_facts facts;

    if (size < 2) {
        return 0;
    }
    const struct acpi_piece piece = {PIECE, malloc(size - 1), size - 1};

    memcpy(piece.bytes, data + 1, size - 1);
    if (data[0] % 2 == 1) {
        seal_all(&piece);
    }
    acpi_piece_read(&piece, PIECE, &facts);
    check(&piece, &facts);
    free(piece.bytes);
    return 0;
}
