/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The devices of a PC that the image cannot do without, around a machine (unicorn_machine.h): a
 * 16550 whose bytes go to a file, PIT channel 2, the ACPI PM timer, a local APIC with its timer and
 * interrupts to itself, which do not nest,
 * the tables that list them, the port that provokes SMIs. All clocks are derived from the TSC,
 * so that they agree. Any other port reads all ones and forgets what is written.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/tests/machine/unicorn_machine.h"

#define DEVICES_PM_TIMER    0x608 /* its port */
#define DEVICES_PM_TIMER_HZ 3579545

/* What an SMI takes, in instructions. */
#define DEVICES_SMM_WORK 5000

struct devices {
    struct machine *machine;
    FILE *line; /* what the serial port sends */
    uint64_t tsc_hz;
    uint8_t uart[8]; /* registers as written */
    uint8_t uart_divisor[2];
    uint8_t uart_looped;
    bool uart_has_looped;
    uint64_t pit_start; /* TSC */
    uint16_t pit_latch;
    unsigned pit_bytes;   /* read or written so far, of the pair */
    uint32_t lapic[256];  /* registers, 10h apart, as written */
    uint64_t timer_start; /* TSC at which the count began; it runs while `timer_initial` is not 0 */
    uint64_t timer_next;  /* TSC of the next expiry that has not been delivered */
    bool in_service;
    uint8_t sent; /* vector that the LAPIC sent to its processor; 0: none */
};

/* Attaches them to a machine. */
void devices_open(struct devices *devices, struct machine *machine, FILE *line, uint64_t tsc_hz);

/* Writes RSDP, XSDT, FADT and MADT into the guest's memory; address of the RSDP. */
uint64_t devices_write_acpi(struct devices *devices);
