/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaves the machine: by firmware's runtime services, otherwise by ACPI or the chipset. */
#pragma once

#include "kernel/dev/acpi.h"
#include "kernel/plan/handoff.h"

/* `reset_system` is NULL if firmware has none. `off` is read only when the machine is left. */
void power_init(reset_system_fn *reset_system, const struct acpi_power_off *off);

/* Ends the run; `how` is "poweroff", "reboot" or "halt". If firmware does not power off within 3 s,
 * ACPI's state S5 does (ACPI 6.5 section 7.4.2.6). If it does not reboot, port CF9h does, and then
 * a triple fault. If all fail, the machine halts. Firmware that needs interrupts while the machine
 * is borrowed gets no time limit: EDK2 does need them, and completes the call. */
_Noreturn void power_leave(const char *how);
