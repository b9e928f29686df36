/* SPDX-License-Identifier: BSD-2-Clause */
/* Clocks that can be read while they run, in addition to the TSC. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"

struct clock_source {
    const char *name;
    const char *rate_from;  /* who states the rate */
    uint64_t hz;            /* nominal rate of the clock */
    uint64_t mask;          /* largest count, after which the clock wraps */
    uint64_t (*read)(void); /* returns the count, which ascends */
};

/* The ACPI power management timer (ACPI 6.5 section 4.8.2.1): 3.579545 MHz, 24 or 32 bits. */

/* Opens the PM timer. Returns false, with a reason, if the FADT has none or it does not count. */
bool pm_timer_open(const struct acpi_facts *acpi, struct clock_source *source, const char **reason);

/* Returns the timer's address, for code that times reading it; an address of 0 means that the FADT
 * names none. Call after pm_timer_open(). */
const struct acpi_address *pm_timer_place(void);

/* The 8254 timer, channel 2, read by latching: 1.193182 MHz, 16 bits, so measured spans must stay
 * below 54 ms. Some machines gate or stop it (PIT calibration hangs on Tiger Lake and later: genode
 * issue 5215), so it must first be seen counting. */

/* Opens the PIT. Returns false, with a reason, if it does not count. */
bool pit_open(struct clock_source *source, const char **reason);

/* Returns the gate bits of channel 2 and of the speaker (port 61h, bits 0 and 1), so that they can
 * be restored when firmware continues. The count of channel 2 is not saved: each user of the
 * channel sets it. */
uint8_t pit_gate(void);
void pit_set_gate(uint8_t gate);

/* Call after firmware has ended. Stops channel 0, firmware's tick: although it is masked, an
 * emulator would still wake up for each tick. */
void pit_silence(void);
