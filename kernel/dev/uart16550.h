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
#include "kernel/plan/port.h"

/* What comes in while bytes go out is kept, the newest of it. There is one line, and one such ring.
 */
#define UART_RING_BYTES 4096
#define UART_NAME_MAX   16

struct uart {
    char found_by[UART_NAME_MAX]; /* "plan", "SPCR", "DBG2", "legacy" or "PCI bb:dd.f" */
    uint64_t base;
    uint64_t clock_hz;  /* input of the baud-rate divider; 0: unknown, the divider is left alone */
    uint16_t divisor;   /* in force; 0: unknown */
    bool clock_assumed; /* taken to be the PC's */
    bool io;
    uint8_t access;     /* bytes: 1, 2 or 4 */
    uint8_t stride;     /* bytes from one register to the next */
    uint8_t fifo_depth; /* bytes that fit when the transmitter is ready */
    bool wait_for_cts;  /* hardware flow control: bursts leave only while the host asserts CTS */
    bool stalled;       /* the last write was not taken: the next waits only a little */
};

/* May this address be read, under the page tables that are in force? */
typedef bool uart_reaches(uint64_t address);

#define UARTS_MAX 8

/* The port that the plan names, if it names one (else NULL) and it is there. Else all that pass the
 * test, each once: those of ACPI, COM1 to COM4, and PCI functions of class 07 00 (serial
 * controller, 16550 compatible), in this order. Of one in memory with 8 bits by its table the
 * registers may be 4 bytes apart as well. Ports in memory that `reaches` denies are passed over.
 * Their number; 0: no port passed the test. */
size_t uart_find(const struct acpi_facts *acpi, const struct port_setting *planned,
                 uart_reaches *reaches, struct uart found[UARTS_MAX]);

/* What firmware set up in a port that is asked for a host and not used. */
struct uart_registers {
    uint8_t interrupts;
    uint8_t line;
    uint8_t modem;
    uint16_t divisor;
};
void uart_hold(const struct uart *uart, struct uart_registers *registers);
/* Behind what was sent, and forgets what has come in. */
void uart_release(struct uart *uart, const struct uart_registers *registers);

/* 8 data bits, no parity, 1 stop bit, FIFOs on, DTR and RTS asserted. `baud` 0, or an unknown
 * clock, keeps the rate. Returns the rate in force, 0 where unknown. */
uint32_t uart_configure(struct uart *uart, uint32_t baud);

/* The divisor for a rate; 0 where the clock is unknown or no divisor comes within 3 % of it, beyond
 * which the bits of a byte drift apart (half a bit in ten, shared by both ends). */
uint16_t uart_divisor(const struct uart *uart, uint32_t baud);
/* The rate that a divisor makes; 0 where unknown. */
uint32_t uart_rate(const struct uart *uart, uint16_t divisor);
/* Sets it (0: leaves it alone), and forgets what has come in. */
void uart_set_divisor(struct uart *uart, uint16_t divisor);

/* Sends all bytes, and keeps what comes in meanwhile for uart_read(). False where
 * the transmitter stayed full, or CTS off, for about a second: the rest was not sent, and the next
 * call waits only some 10 ms, less than sending takes, until the line takes bytes again. */
bool uart_write(struct uart *uart, const uint8_t *bytes, size_t length);

/* A byte that has come in, or -1. */
int uart_read(struct uart *uart);

/* Of its scratch register, which does nothing; only of a UART at I/O ports. */
uint16_t uart_scratch_port(const struct uart *uart);

/* Waits until the last bit has left, at most about a second. */
void uart_drain(struct uart *uart);
