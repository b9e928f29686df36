/* SPDX-License-Identifier: BSD-2-Clause */
/* The I/O APICs (Intel 82093AA data sheet): every input masked, so that no device that firmware
 * left running interrupts a measurement. */
#pragma once

#include <stddef.h>

#include "kernel/dev/acpi.h"

/* Returns the number of inputs masked. */
size_t ioapic_mask_all(const struct acpi_facts *acpi);
