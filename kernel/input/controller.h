/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The keyboard's and the mouse's controller, for both ways: what comes from it, and what is sent
 * through it. It is the i8042, or the one in memory that a timer drives (below), where
 * a machine has none: USB alone, most servers, Hyper-V of generation 2.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"
#include "kernel/dev/i8042.h"

/*
 * A keyboard controller in memory, for machines that have none. It holds one byte, as the i8042's
 * output buffer does. The LAPIC timer, whose interrupt has source.c send each byte at its moment,
 * drives it: the byte is put into memory, and the LAPIC raises the port's vector on this processor.
 * From there on all is as with a device: interrupt, handler, DPC, queue, thread. What is missing is
 * the device: the port accesses of some 1 us each, the I/O APIC, and the way of the byte.
 *
 * Interrupts off in all of these; contracts are those of i8042.h.
 */

/* Present, with loop-back of both ports, and no device is attached. */
const struct i8042 *timer_controller_probe(const struct acpi_facts *acpi);

uint8_t timer_controller_status(void);
uint8_t timer_controller_read(void);
bool timer_controller_loop_back(enum i8042_port port, uint8_t byte, uint64_t *written);

bool timer_controller_open(uint32_t *stale);
void timer_controller_close(void);

/* Raises no vector from now on, until it is opened again. */
void timer_controller_block(void);

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

/* Vectors of keyboard and mouse: above the timer's class, so that a byte interrupts the handler
 * that sent it. */
#define INPUT_VECTOR_KEYBOARD 0x51
#define INPUT_VECTOR_MOUSE    0x5c
