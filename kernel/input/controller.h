/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The keyboard's and the mouse's controller, for both ways: what comes from it, and what is sent
 * through it. It is the i8042, or the one in memory that a timer drives (timer_controller.h), where
 * a machine has none: USB alone, most servers, Hyper-V of generation 2.
 */
#pragma once

#include "kernel/dev/acpi.h"
#include "kernel/dev/i8042.h"

enum input_source {
    INPUT_FROM_I8042,
    INPUT_FROM_TIMER,
};

/* Once, at the start of the machine: where the interrupt controllers are. Touches no device. */
void input_init(const struct acpi_facts *acpi);

/* Which controller all below and input.h use from now on; the i8042 before the first call. Not
 * between input_begin() and input_end(). */
void input_use(enum input_source source);
enum input_source input_used(void);

/* The controller in use; the i8042 is asked for at the first call. */
const struct i8042 *input_controller(void);

/* ---- for input.c and source.c ---- */

/* As input_init() was given them. */
extern const struct acpi_facts *input_tables __attribute__((visibility("hidden")));

/* Functions of the controller in use, with the contracts of i8042.h. A call through here costs as
 * many instructions as a direct one. */
struct input_ways {
    const struct i8042 *(*probe)(const struct acpi_facts *acpi);
    uint8_t (*status)(void);
    uint8_t (*read)(void);
    bool (*loop_back)(enum i8042_port port, uint8_t byte, uint64_t *written);
    bool (*open)(uint32_t *stale);
    void (*close)(void);
};
extern struct input_ways input_ways __attribute__((visibility("hidden")));
