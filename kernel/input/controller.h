/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The controller of keyboard and mouse, for input from devices and for synthetic input. It is the
 * i8042, or a controller in memory that a timer drives (below), for machines that have none: those
 * with only USB, most servers, Hyper-V of generation 2.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"
#include "kernel/dev/i8042.h"

/*
 * The controller in memory. Like the output buffer of the i8042, it holds one byte. The LAPIC timer
 * drives it: its interrupt makes source.c send each byte at its time, the byte is stored in memory,
 * and the LAPIC raises the port's vector on this processor. From then on everything works as with a
 * device: interrupt, handler, DPC, queue, thread. Only the device is missing: the port accesses of
 * about 1 us each, the I/O APIC, and the transfer of the byte.
 *
 * Call all these functions with interrupts off. Otherwise they behave as their counterparts in
 * i8042.h.
 */

/* Returns a controller that is present and has loop-back on both ports, but no devices. */
const struct i8042 *timer_controller_probe(const struct acpi_facts *acpi);

uint8_t timer_controller_status(void);
uint8_t timer_controller_read(void);
bool timer_controller_loop_back(enum i8042_port port, uint8_t byte, uint64_t *written);

bool timer_controller_open(uint32_t *stale);
void timer_controller_close(void);

/* Stops raising vectors, until the controller is opened again. */
void timer_controller_block(void);

enum input_source {
    INPUT_FROM_I8042,
    INPUT_FROM_TIMER,
};

/* Sets the ACPI tables, which say where the interrupt controllers are. Call once, at the start of
 * the machine. Touches no device. */
void input_init(const struct acpi_facts *acpi);

/* Sets the controller that the functions below and input.h use from now on; before the first call
 * it is the i8042. Do not call it between input_begin() and input_end(). */
void input_use(enum input_source source);
enum input_source input_used(void);

/* Returns the controller in use. The first call probes the i8042, if that is the one. */
const struct i8042 *input_controller(void);

/* ---- for input.c and source.c ---- */

/* The tables set by input_init(). */
extern const struct acpi_facts *input_tables __attribute__((visibility("hidden")));

/* Functions of the controller in use, which behave as those in i8042.h. A call through this table
 * takes as many instructions as a direct one. */
struct input_ways {
    const struct i8042 *(*probe)(const struct acpi_facts *acpi);
    uint8_t (*status)(void);
    uint8_t (*read)(void);
    bool (*loop_back)(enum i8042_port port, uint8_t byte, uint64_t *written);
    bool (*open)(uint32_t *stale);
    void (*close)(void);
};
extern struct input_ways input_ways __attribute__((visibility("hidden")));

/* Vectors of keyboard and mouse. They are in a class above the timer's, so that a byte interrupts
 * the handler that sent it. */
#define INPUT_VECTOR_KEYBOARD 0x51
#define INPUT_VECTOR_MOUSE    0x5c
