/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaving the machine: by firmware's runtime services, else by ACPI or the chipset. */
#pragma once

#include "kernel/dev/acpi.h"
#include "kernel/plan/handoff.h"

/* `reset_system` NULL: firmware has none. `off` is read when the machine is left. */
void power_init(reset_system_fn *reset_system, const struct acpi_power_off *off);

/* "poweroff", "reboot" or "halt". Where firmware does not do the first within 3 s, ACPI's state S5
 * does (ACPI 6.5 section 7.4.2.6); for the second, port CF9h and then a triple fault. The machine
 * halts where all fail. Firmware that takes interrupts while the machine is borrowed is trusted:
 * EDK2 does, and comes to an end. */
_Noreturn void power_leave(const char *how);
