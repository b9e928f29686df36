/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The keyboard controller, ports 60h and 64h (IBM PS/2 Technical Reference; Intel 8042 data sheet).
 *
 * It is found by asking it, with a deadline for each answer. The FADT's bit (ACPI 6.5 section
 * 5.2.9.3, IAPC_BOOT_ARCH) is only a hint: firmware is known to deny one that is there.
 *
 * Interrupts off in all of these. None of them waits longer than a few times I8042_POLLS readings
 * of the status register, of some 1 us each on silicon.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"

#define I8042_POLLS 50000 /* a self-test takes some ms on a slow controller */

enum i8042_port {
    I8042_KEYBOARD,
    I8042_MOUSE,
    I8042_PORTS,
};

/* Status register. */
#define I8042_OUTPUT_FULL 0x01 /* a byte is to be read */
#define I8042_INPUT_FULL  0x02 /* the controller has not taken our last byte */
#define I8042_FROM_MOUSE  0x20
#define I8042_TIMEOUT     0x40
#define I8042_PARITY      0x80

struct i8042 {
    bool present;
    const char *reason;         /* why it is absent */
    bool loopback[I8042_PORTS]; /* D2h or D3h gives a byte back, as if the device had sent it */
    bool attached[I8042_PORTS]; /* a device answered */
    const char *without[I8042_PORTS]; /* why it has no loop-back */
    uint8_t status;                   /* as firmware left it */
    uint8_t configuration;            /* command byte, as firmware left it */
    uint8_t self_test;                /* 55h: good */
    bool translated;                  /* the keyboard's set 2 arrives as set 1 */
};

/* Finds the controller and looks what it can do, once; later calls return the same. Afterwards both
 * ports are disabled and raise no interrupts. */
const struct i8042 *i8042_probe(const struct acpi_facts *acpi);

/* Empties the output buffer (*stale bytes were in it), enables the ports that are there and their
 * interrupts (IRQ 1 and 12). False: it does not answer any longer. */
bool i8042_open(uint32_t *stale);
/* Disables both again, and empties the output buffer. */
void i8042_close(void);

/* The command byte that firmware left, where i8042_probe() has changed it; and ours again. */
void i8042_release(void);
void i8042_hold(void);

uint8_t i8042_status(void);
uint8_t i8042_read(void); /* the output buffer, whatever is in it */

/* Gives the controller a byte that it hands back as if the device had sent it: with that port's
 * interrupt. *written is the TSC right before the byte went out, and interrupts are on from then
 * on, so that a fast controller's comes at once. False: it takes no commands, or its output buffer
 * is full; interrupts are still off. */
bool i8042_loop_back(enum i8042_port port, uint8_t byte, uint64_t *written);
