/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/input/controller.h"

#include "kernel/cpu/cpu.h"
#include "kernel/input/timer_controller.h"

static const struct input_ways ways[] = {
    [INPUT_FROM_I8042] = {i8042_probe, i8042_status, i8042_read, i8042_loop_back, i8042_open,
                          i8042_close},
    [INPUT_FROM_TIMER] = {timer_controller_probe, timer_controller_status, timer_controller_read,
                          timer_controller_loop_back, timer_controller_open,
                          timer_controller_close},
};

const struct acpi_facts *input_tables;
struct input_ways input_ways = {i8042_probe,     i8042_status, i8042_read,
                                i8042_loop_back, i8042_open,   i8042_close};
static enum input_source used;

void input_init(const struct acpi_facts *acpi)
{
    input_tables = acpi;
}

void input_use(enum input_source source)
{
    used = source;
    input_ways = ways[source];
}

enum input_source input_used(void)
{
    return used;
}

const struct i8042 *input_controller(void)
{
    const uint64_t flags = interrupts_save();
    const struct i8042 *controller = input_ways.probe(input_tables);

    interrupts_restore(flags);
    return controller;
}
