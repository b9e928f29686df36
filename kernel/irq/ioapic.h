/* SPDX-License-Identifier: BSD-2-Clause */
/* The I/O APICs (Intel 82093AA data sheet): every input masked, so that no device that firmware
 * left running interrupts a measurement. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"

/* Returns the number of inputs masked. */
size_t ioapic_mask_all(const struct acpi_facts *acpi);

/* Can ioapic_route_nmi() be used: is there such an input, and does the id fit? */
bool ioapic_can_route(const struct acpi_facts *acpi, uint32_t input, uint32_t lapic);
/* An edge at `input` of the first I/O APIC becomes an NMI of the processor with this LAPIC id,
 * until ioapic_mask(). */
void ioapic_route_nmi(const struct acpi_facts *acpi, uint32_t input, uint32_t lapic);
void ioapic_mask(const struct acpi_facts *acpi, uint32_t input);
