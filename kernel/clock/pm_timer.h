/* SPDX-License-Identifier: BSD-2-Clause */
/* The ACPI power management timer (ACPI 6.5 section 4.8.2.1): 3.579545 MHz, 24 or 32 bits. */
#pragma once

#include <stdbool.h>

#include "kernel/clock/source.h"
#include "kernel/dev/acpi.h"

/* False, with a reason, where the FADT names none or it does not count. */
bool pm_timer_open(const struct acpi_facts *acpi, struct clock_source *source, const char **reason);

/* Where it is, for code that times reading it; address 0: the FADT names none. After
 * pm_timer_open(). */
const struct acpi_address *pm_timer_place(void);
