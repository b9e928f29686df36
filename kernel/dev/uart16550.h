/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 16550 serial port (National Semiconductor PC16550D data sheet), at I/O ports or in memory.
 *
 * An absent port reads as FFh, which looks like a transmitter that is always ready. So a port
 * counts as present only if its loop-back mode returns what was sent. Every wait has a limit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"
#include "kernel/plan/port.h"

/* Size of the ring that keeps the newest bytes received while bytes are sent. Only one port is used
 * as the line, so there is only one ring. */
#define UART_RING_BYTES 4096
#define UART_NAME_MAX   16

struct uart {
    char found_by[UART_NAME_MAX]; /* "plan", "SPCR", "DBG2", "legacy" or "PCI bb:dd.f" */
    uint64_t base;
    uint64_t clock_hz;  /* of the baud-rate divider; 0: unknown, the divider is left as it is */
    uint16_t divisor;   /* current divisor; 0: unknown */
    uint16_t left_with; /* divisor that firmware left when the port was found; 0: unknown */
    uint32_t stated;    /* speed that the SPCR states for this port; 0: none */
    bool clock_assumed; /* clock_hz is assumed to be that of the PC */
    bool io;
    uint8_t access;     /* size of an access in bytes: 1, 2 or 4 */
    uint8_t stride;     /* bytes from one register to the next */
    uint8_t fifo_depth; /* bytes that can be written when the transmitter is ready */
    bool wait_for_cts;  /* hardware flow control: bursts are sent only while the host asserts CTS */
    bool stalled;       /* the last write timed out, so the next one waits only briefly */
};

/* Returns true if the address can be read, under the page tables in force. */
typedef bool uart_reaches(uint64_t address);

#define UARTS_MAX 8

/* Finds serial ports. If the plan names a port (`planned`, otherwise NULL) and it is present, finds
 * only that one. Otherwise finds every port that passes the loop-back test, each once: those of
 * ACPI, COM1 to COM4, and PCI functions of class 07 00 (serial controller, 16550 compatible), in
 * this order. If a table gives 8 bits for a port in memory, its registers may also be 4 bytes
 * apart. Skips ports in memory that `reaches` denies. Returns the number of ports; 0: no port
 * passed the test. */
size_t uart_find(const struct acpi_facts *acpi, const struct port_setting *planned,
                 uart_reaches *reaches, struct uart found[UARTS_MAX]);

/* The settings that firmware left in a port, kept while it is only asked whether a host answers. */
struct uart_registers {
    uint8_t interrupts;
    uint8_t line;
    uint8_t modem;
    uint16_t divisor;
};
void uart_hold(const struct uart *uart, struct uart_registers *registers);
/* Waits until everything is sent, restores the settings, and drops received bytes. */
void uart_release(struct uart *uart, const struct uart_registers *registers);

/* Sets 8 data bits, no parity, 1 stop bit, FIFOs on, DTR and RTS asserted. If `baud` is 0, the
 * speed is that of the SPCR, otherwise the one with which firmware left the port, otherwise 115200.
 * If the clock is unknown, the rate stays as it is. Returns the rate in force, or 0 if it is
 * unknown. */
uint32_t uart_configure(struct uart *uart, uint32_t baud);

/* Returns the divisor for a rate. Returns 0 if the clock is unknown, or if no divisor comes within
 * 3 % of the rate: beyond that the bits of a byte drift apart (half a bit in ten, shared by both
 * ends). */
uint16_t uart_divisor(const struct uart *uart, uint32_t baud);
/* Returns the rate of a divisor, or 0 if it is unknown. */
uint32_t uart_rate(const struct uart *uart, uint16_t divisor);
/* Sets the divisor, unless it is 0, and drops received bytes. */
void uart_set_divisor(struct uart *uart, uint16_t divisor);

/* Sends all bytes, and keeps the bytes received meanwhile for uart_read(). Returns false if the
 * transmitter stayed full, or CTS off, for about a second: the rest was not sent. The next calls
 * then wait only about 10 ms, less than sending takes, until the line takes bytes again. */
bool uart_write(struct uart *uart, const uint8_t *bytes, size_t length);

/* Returns a received byte, or -1 if there is none. */
int uart_read(struct uart *uart);

/* Returns the port of the scratch register, which has no function. Only for a UART at I/O ports. */
uint16_t uart_scratch_port(const struct uart *uart);

/* Waits until the last bit has left, for at most about a second. */
void uart_drain(struct uart *uart);
