/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts without a handler that come without end: a level-triggered line that no driver
 * serves comes again with each IRET, and nothing else would run any more. A vector that has come
 * STORM_MIN times since storm_begin() is masked at its source, where that can be found: inputs of
 * the I/O APICs that tables list, and the LAPIC's own sources. It cannot where a device wrote the
 * message itself (MSI), or the I/O APIC is not listed. Inputs of the 8259 are no source: they stay
 * masked, and an interrupt without acknowledgement comes once.
 */
#pragma once

#include <stdint.h>

#include "kernel/dev/acpi.h"

/* What firmware left behind, or a line with a glitch, comes a few times; an unserved line passes
 * this within some milliseconds, and a forgotten timer of 1 kHz within a second. By then a bench of
 * the shortest kind has lost some 1000 microseconds. */
#define STORM_MIN 1000

enum storm_source {
    STORM_UNMASKED, /* it may go on */
    STORM_IOAPIC,
    STORM_LAPIC,
};

struct storm {
    uint32_t count; /* so far */
    enum storm_source source;
    uint32_t gsi; /* STORM_IOAPIC: the input */
};

/* Once; `acpi` must stay. Before, nothing is masked. */
void storm_use(const struct acpi_facts *acpi);

/* Counts from 0 again. */
void storm_begin(void);

/* Of an unattached vector: by its handler, before it is acknowledged. */
void storm_count(uint8_t vector);

/* NULL: it came less often. */
const struct storm *storm_of(uint8_t vector);
