/* SPDX-License-Identifier: BSD-2-Clause */
/* The I/O APICs (Intel 82093AA data sheet): masks every input, so that no device that firmware left
 * running interrupts a measurement, and opens those inputs that are needed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"

#define IOAPIC_LAPIC_MAX 0xfe /* largest LAPIC id to which an interrupt can be sent */

/* Masks all inputs. Returns how many. */
size_t ioapic_mask_all(const struct acpi_facts *acpi);

/* The redirection entries of all I/O APICs, to restore them when firmware continues. */
#define IOAPIC_INPUTS_MAX 240
#define IOAPIC_SAVED_MAX  (ACPI_IO_APICS_MAX * IOAPIC_INPUTS_MAX)
struct ioapic_state {
    size_t count;
    uint64_t entry[IOAPIC_SAVED_MAX];
};
void ioapic_save(const struct acpi_facts *acpi, struct ioapic_state *state);
void ioapic_restore(const struct acpi_facts *acpi, const struct ioapic_state *state);

/* Masks every input that raises `vector`. Returns whether there is any, and sets *gsi to the GSI of
 * the last. May be called in an interrupt handler: it restores the selected register, which the
 * interrupted code may be using. */
bool ioapic_mask_vector(const struct acpi_facts *acpi, uint8_t vector, uint32_t *gsi);

/* An input of an I/O APIC, found by its GSI. */
struct ioapic_input {
    uint64_t address; /* address of its I/O APIC */
    uint32_t number;
};

/* Finds the input of a GSI. Returns false if no I/O APIC has it. If the tables list no I/O APIC,
 * one at the standard address is used for the ISA interrupts (82093AA data sheet; MultiProcessor
 * Specification 1.4, default configurations). */
bool ioapic_find_input(const struct acpi_facts *acpi, uint32_t gsi, struct ioapic_input *input);
/* Routes `input` to `vector` of the processor with this LAPIC id (up to IOAPIC_LAPIC_MAX).
 * Interrupts arrive only after ioapic_open_input(). */
void ioapic_route(const struct ioapic_input *input, const struct acpi_interrupt *line,
                  uint8_t vector, uint32_t lapic);
/* Makes an edge at `input` an NMI of that processor, from now until ioapic_close_input(). */
void ioapic_route_nmi(const struct ioapic_input *input, bool active_low, uint32_t lapic);
/* Returns whether the input is open, whatever it raises. */
bool ioapic_is_open(const struct ioapic_input *input);
/* Opens or closes an input. An edge that comes while it is closed is lost. */
void ioapic_open_input(const struct ioapic_input *input);
void ioapic_close_input(const struct ioapic_input *input);
