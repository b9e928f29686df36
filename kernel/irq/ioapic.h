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
#define IOAPIC_INPUTS_MAX 240
#define IOAPIC_SAVED_MAX  (ACPI_IO_APICS_MAX * IOAPIC_INPUTS_MAX)
struct ioapic_state {
    size_t count;
    uint64_t entry[IOAPIC_SAVED_MAX];
};
void ioapic_save(const struct acpi_facts *acpi, struct ioapic_state *state);
void ioapic_restore(const struct acpi_facts *acpi, const struct ioapic_state *state);

/* Masks every input that raises `vector`: true where there is one, and the GSI of the last. For
 * interrupt handlers: who was interrupted finds its register selected still. */
bool ioapic_mask_vector(const struct acpi_facts *acpi, uint8_t vector, uint32_t *gsi);

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
/* An edge at `input` becomes an NMI of that processor at once, until ioapic_close_input(). */
void ioapic_route_nmi(const struct ioapic_input *input, bool active_low, uint32_t lapic);
/* Is it open, for whatever it raises? */
bool ioapic_is_open(const struct ioapic_input *input);
/* An edge that comes while an input is closed is lost. */
void ioapic_open_input(const struct ioapic_input *input);
void ioapic_close_input(const struct ioapic_input *input);
