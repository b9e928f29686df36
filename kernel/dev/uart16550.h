/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 16550 serial port (National Semiconductor PC16550D data sheet), by I/O ports or memory.
 *
 * An absent port reads FFh, so that its transmitter looks ready for ever: a port counts as there
 * only when its loop-back mode returns what was sent. No wait is unbounded.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"

struct uart {
    const char *found_by; /* "SPCR", "DBG2" or "legacy" */
    uint64_t base;
    uint64_t clock_hz; /* input of the baud-rate divider; 0: unknown, the divider is left alone */
    bool io;
    uint8_t access;     /* bytes: 1, 2 or 4 */
    uint8_t stride;     /* bytes from one register to the next */
    uint8_t fifo_depth; /* bytes that fit when the transmitter says ready */
    bool dead;          /* gave up: the transmitter did not empty in time */
};

/* Looks at the ports ACPI names, then at COM1 to COM4. False: no port passed the test. */
bool uart_find(const struct acpi_facts *acpi, struct uart *uart);

/* 8 data bits, no parity, 1 stop bit, FIFOs on. `baud` 0, or an unknown clock, keeps the rate.
 * Returns the rate in force, 0 where unknown. */
uint32_t uart_configure(struct uart *uart, uint32_t baud);

/* Sends all bytes, or gives up for good (uart->dead) where the transmitter stays full for about a
 * second. */
void uart_write(struct uart *uart, const uint8_t *bytes, size_t length);

/* A byte that has come in, or -1. */
int uart_read(struct uart *uart);

/* Waits until the last bit has left, at most about a second. */
void uart_drain(struct uart *uart);
