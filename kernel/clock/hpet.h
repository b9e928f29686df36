/* SPDX-License-Identifier: BSD-2-Clause */
/* The high precision event timer's main counter (IA-PC HPET specification 1.0a). */
#pragma once

#include <stdbool.h>

#include "kernel/clock/source.h"
#include "kernel/dev/acpi.h"

/* Starts the counter. False, with a reason, where there is none, its period is out of range, or it
 * does not count (ACRN issue 8132 tells of one that was present and stopped). */
bool hpet_open(const struct acpi_facts *acpi, struct clock_source *source, const char **reason);
