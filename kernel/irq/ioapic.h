/* SPDX-License-Identifier: BSD-2-Clause */
/* The I/O APICs (Intel 82093AA data sheet): every input masked, so that no device that firmware
 * left running interrupts a measurement; and those opened again that somebody wants. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"

#define IOAPIC_LAPIC_MAX 0xfe /* the largest LAPIC id that an interrupt can be sent to */

/* Returns the number of inputs masked. */
size_t ioapic_mask_all(const struct acpi_facts *acpi);

/* The redirection entries of all inputs, of all I/O APICs, for where firmware goes on. */
#define IOAPIC_SAVED_MAX 512
struct ioapic_state {
    size_t count;
    uint64_t entry[IOAPIC_SAVED_MAX];
};
void ioapic_save(const struct acpi_facts *acpi, struct ioapic_state *state);
void ioapic_restore(const struct acpi_facts *acpi, const struct ioapic_state *state);

/* Can ioapic_route_nmi() be used: is there such an input, and does the id fit? */
bool ioapic_can_route(const struct acpi_facts *acpi, uint32_t input, uint32_t lapic);
/* An edge at `input` of the first I/O APIC becomes an NMI of the processor with this LAPIC id,
 * until ioapic_mask(). */
void ioapic_route_nmi(const struct acpi_facts *acpi, uint32_t input, uint32_t lapic);
void ioapic_mask(const struct acpi_facts *acpi, uint32_t input);

/* An input, found by its GSI. */
struct ioapic_input {
    uint64_t address; /* of its I/O APIC */
    uint32_t number;
};

/* False where no I/O APIC covers `gsi`. Where tables list none, one at the standard address is
 * taken for the ISA bus's (82093AA data sheet; MultiProcessor Specification 1.4, default
 * configurations). */
bool ioapic_find_input(const struct acpi_facts *acpi, uint32_t gsi, struct ioapic_input *input);
/* What arrives at `input` becomes `vector` of the processor with this LAPIC id (up to
 * IOAPIC_LAPIC_MAX), once ioapic_open_input() has been called. */
void ioapic_route(const struct ioapic_input *input, const struct acpi_interrupt *line,
                  uint8_t vector, uint32_t lapic);
/* An edge that comes while an input is closed is lost. */
void ioapic_open_input(const struct ioapic_input *input);
void ioapic_close_input(const struct ioapic_input *input);
