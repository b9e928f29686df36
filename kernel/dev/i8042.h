/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The controller of keyboard and mouse at ports 60h and 64h (IBM PS/2 Technical Reference; Intel
 * 8042 data sheet).
 *
 * The controller is found by sending it commands, with a time limit for each answer. The FADT's bit
 * (ACPI 6.5 section 5.2.9.3, IAPC_BOOT_ARCH) is only a hint, because some firmware denies a
 * controller that is there.
 *
 * Call all functions with interrupts off. None of them waits longer than a few times I8042_POLLS
 * reads of the status register, which take about 1 us each on real hardware.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"

#define I8042_POLLS 50000 /* a self-test takes a few ms on a slow controller */

enum i8042_port {
    I8042_KEYBOARD,
    I8042_MOUSE,
    I8042_PORTS,
};

/* Bits of the status register. */
#define I8042_OUTPUT_FULL 0x01 /* a byte can be read */
#define I8042_INPUT_FULL  0x02 /* the controller has not taken the last byte written */
#define I8042_FROM_MOUSE  0x20
#define I8042_TIMEOUT     0x40
#define I8042_PARITY      0x80

struct i8042 {
    bool present;
    const char *reason;         /* why it is absent */
    bool loopback[I8042_PORTS]; /* command D2h or D3h returns a byte as if the device had sent it */
    bool attached[I8042_PORTS]; /* a device answered */
    const char *without[I8042_PORTS]; /* why a port has no loop-back */
    uint8_t status;                   /* as firmware left it */
    uint8_t configuration;            /* command byte, as firmware left it */
    uint8_t self_test;                /* result; 55h: passed */
    bool translated;                  /* the keyboard's set 2 arrives translated to set 1 */
};

/* Finds the controller and its features, once; later calls return the same result. Leaves both
 * ports disabled, without interrupts. */
const struct i8042 *i8042_probe(const struct acpi_facts *acpi);

/* i8042_open() asks the mouse for packets with a wheel's notches. A mouse without a wheel goes on
 * as before. */
extern bool i8042_wheel;

/* Empties the output buffer, which held *stale bytes, and enables the ports that exist and their
 * interrupts (IRQ 1 and 12). Returns false if the controller does not answer. */
bool i8042_open(uint32_t *stale);
/* Disables both ports and empties the output buffer. */
void i8042_close(void);

/* i8042_release() restores the command byte that firmware left, if i8042_probe() found a
 * controller; i8042_hold() disables both ports again. */
void i8042_release(void);
void i8042_hold(void);

uint8_t i8042_status(void);
uint8_t i8042_read(void); /* reads the output buffer, even if it is empty */

/* Makes the controller return a byte as if the device of that port had sent it, with the port's
 * interrupt. *written is the TSC right before the byte is written. Interrupts are on from that
 * write on, so that the interrupt of a fast controller arrives at once. Returns false, with
 * interrupts still off, if the controller takes no commands or its output buffer is full. */
bool i8042_loop_back(enum i8042_port port, uint8_t byte, uint64_t *written);
