/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An alarm that no code can mask: a comparator of the HPET raises an NMI through an I/O APIC (IA-PC
 * HPET specification 1.0a, sections 2.3.8 and 2.3.9; 82093AA data sheet, delivery mode). It ends
 * code that spins with interrupts off.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"

/* Longest time to come, in us: 32-bit comparators wrap. */
#define ALARM_MAX_US 20000000

/* After clock_init(); `acpi` must stay. False, with a reason, where there is no way for it. */
bool alarm_open(const struct acpi_facts *acpi, const char **reason);

/* Goes off `microseconds` (up to ALARM_MAX_US) from now, unless it is set anew or stopped before.
 * Without an alarm, nothing. */
void alarm_set(uint64_t microseconds);
void alarm_stop(void);

/* For the NMI handler: is it set, and its time over? */
bool alarm_due(void);
