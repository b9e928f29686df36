/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A keyboard controller in memory, for machines that have none. It holds one byte, as the i8042's
 * output buffer does. The LAPIC timer, whose interrupt has source.c send each byte at its moment,
 * drives it: the byte is put into memory, and the LAPIC raises the port's vector on this processor.
 * From there on all is as with a device: interrupt, handler, DPC, queue, thread. What is missing is
 * the device: the port accesses of some 1 us each, the I/O APIC, and the way of the byte.
 *
 * Interrupts off in all of these; contracts are those of i8042.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/dev/i8042.h"

/* Present, with loop-back of both ports, and no device is attached. */
const struct i8042 *timer_controller_probe(const struct acpi_facts *acpi);

uint8_t timer_controller_status(void);
uint8_t timer_controller_read(void);
bool timer_controller_loop_back(enum i8042_port port, uint8_t byte, uint64_t *written);

bool timer_controller_open(uint32_t *stale);
void timer_controller_close(void);

/* Raises no vector from now on, until it is opened again. */
void timer_controller_block(void);
