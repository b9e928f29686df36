/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The keyboard's and the mouse's controller, for both ways: what comes from it, and what is sent
 * through it.
 */
#pragma once

#include "kernel/dev/acpi.h"
#include "kernel/dev/i8042.h"

/* Once, at the start of the machine: where the interrupt controllers are. Touches no device. */
void input_init(const struct acpi_facts *acpi);

/* The controller, asked for at the first call. */
const struct i8042 *input_controller(void);

/* ---- for input.c ---- */

/* As input_init() was given them. */
extern const struct acpi_facts *input_tables __attribute__((visibility("hidden")));
