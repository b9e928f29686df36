/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/input/controller.h"

#include "kernel/cpu/cpu.h"

const struct acpi_facts *input_tables;

void input_init(const struct acpi_facts *acpi)
{
    input_tables = acpi;
}

const struct i8042 *input_controller(void)
{
    const uint64_t flags = interrupts_save();
    const struct i8042 *controller = i8042_probe(input_tables);

    interrupts_restore(flags);
    return controller;
}
