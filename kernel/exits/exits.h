/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that a hypervisor may trap, each in a loop of repetitions: exits.S. What a machine
 * lacks is absent with the reason. On the kernel's processor, interrupts off.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What is repeated: instructions beside DEC and JNZ in brackets. */
enum exit_operation {
    EXIT_LOOP,          /* nothing (0) */
    EXIT_RDTSC,         /* (1) */
    EXIT_CPUID,         /* XOR, CPUID of leaf 0 (2) */
    EXIT_INVLPG,        /* of the page that exits_find() got (1) */
    EXIT_CR3,           /* MOV to CR3 of what it holds (1) */
    EXIT_RDMSR,         /* of IA32_APIC_BASE (1) */
    EXIT_TSC_DEADLINE,  /* WRMSR of IA32_TSC_DEADLINE, an hour ahead (1) */
    EXIT_X2APIC_READ,   /* RDMSR of the version register, only in x2APIC mode as those below (1) */
    EXIT_X2APIC_EOI,    /* WRMSR (1) */
    EXIT_X2APIC_ICR,    /* WRMSR, to this processor (1) */
    EXIT_X2APIC_SELF,   /* WRMSR of the self-IPI register (1) */
    EXIT_LAPIC_READ,    /* load from the version register, only in xAPIC mode as those below (1) */
    EXIT_LAPIC_EOI,     /* store (1) */
    EXIT_LAPIC_ICR,     /* store, to this processor (1) */
    EXIT_HPET_READ,     /* load of 32 bits from the main counter (1) */
    EXIT_NOTHING_READ,  /* load of 32 bits from an address where nothing is (1) */
    EXIT_PORT80_READ,   /* IN of a byte (1) */
    EXIT_PORT80_WRITE,  /* OUT of a byte (1) */
    EXIT_UART_READ,     /* IN of a byte: scratch register of the serial line (1) */
    EXIT_UART_WRITE,    /* OUT of the byte that it holds (1) */
    EXIT_PM_TIMER_READ, /* IN of 32 bits (1) */
    EXIT_VMCALL,        /* MOV, VMCALL: Intel's processors (2) */
    EXIT_VMMCALL,       /* MOV, VMMCALL: AMD's (2) */
    EXIT_OPERATIONS,
};

/* Finds out what this machine has; `page` is memory whose translation is thrown away. Before the
 * calls below. */
void exits_find(void *page);
/* NULL: it can be done; else why not. */
const char *exits_absent(enum exit_operation operation);
/* Does it `count` times (at least 1): ticks of the TSC from before the first to behind the last,
 * LFENCE; RDTSC; LFENCE at both ends. Only of what is not absent. */
uint64_t exits_repeat(enum exit_operation operation, uint64_t count);
/* Takes back what was set up for it, and lets in the interrupt that it left pending. False: the
 * machine did not do as it was bid: `count` commands to this processor must have raised
 * EXITS_VECTOR once, and the scratch register must hold what it held. */
bool exits_settle(enum exit_operation operation);

#define EXITS_VECTOR 0x4a

/* Ticks between two stamps: with nothing between, and with a store of a byte. */
uint64_t exits_stamps(void) __attribute__((visibility("hidden")));
uint64_t exits_touch(void *byte) __attribute__((visibility("hidden")));
