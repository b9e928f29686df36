/* SPDX-License-Identifier: BSD-2-Clause */
/* Clocks that can be read while they run, as well as the TSC. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"

struct clock_source {
    const char *name;
    const char *rate_from;  /* what states the rate */
    uint64_t hz;            /* nominal rate */
    uint64_t mask;          /* the count wraps behind this */
    uint64_t (*read)(void); /* ascending count */
};

/* The ACPI power management timer (ACPI 6.5 section 4.8.2.1): 3.579545 MHz, 24 or 32 bits. */

/* False, with a reason, where the FADT names none or it does not count. */
bool pm_timer_open(const struct acpi_facts *acpi, struct clock_source *source, const char **reason);

/* Where it is, for code that times reading it; address 0: the FADT names none. After
 * pm_timer_open(). */
const struct acpi_address *pm_timer_place(void);

/* The 8254 timer, channel 2, read by latching: 1.193182 MHz, 16 bits, so spans stay below 54 ms.
 * Some machines gate or stop it (PIT calibration hangs on Tiger Lake and later: genode issue 5215),
 * so it has to be seen counting first. */

/* False, with a reason, where it does not count. */
bool pit_open(struct clock_source *source, const char **reason);

/* Gate of channel 2, and the speaker behind it (port 61h, bits 0 and 1), for where firmware goes
 * on. The count of channel 2 is lost: each user sets it. */
uint8_t pit_gate(void);
void pit_set_gate(uint8_t gate);

/* Where firmware is gone: channel 0, its tick, stands still. Masked as it is, an emulator would
 * still wake up for each tick of it. */
void pit_silence(void);
