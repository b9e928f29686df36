/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens the interrupt of a PCI function as one vector of this processor: by MSI-X, by MSI, or by
 * the pin (INTx), whichever arrives first when they are tried in this order.
 *
 * Tables and registers are not trusted: a kind counts as working only when the driver has made its
 * device interrupt and the interrupt has arrived. The input at which a pin arrives is found in the
 * same way, because firmware's tables state it only in bytecode: the possible inputs are opened one
 * at a time. A pin is not used if its line raises NMIs, as the alarm's does (kernel/clock/alarm.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"
#include "kernel/dev/pci.h"
#include "kernel/irq/device_interrupt.h"
#include "kernel/irq/ioapic.h"

/* The first vector; its class is above those of input and timer. A device keeps its vector until
 * the end of the run. */
#define PCI_INTERRUPT_VECTOR_FIRST 0x70
#define PCI_INTERRUPT_VECTORS      16

struct pci_interrupt_user {
    const char *name; /* name of the vector in the trace; must exist until the end of the run */
    /* Handles what the device has done, so that it withdraws its interrupt. Returns false if there
     * was nothing to do, because the interrupt was from another device. Called in the handler,
     * interrupts off. */
    bool (*take)(void *argument);
    /* Makes the device interrupt once, soon, after completing what an earlier attempt left undone.
     * `fresh`: another kind of interrupt has just been set up, for devices that read this when they
     * start. Returns false if the device cannot. Called with interrupts off. */
    bool (*provoke)(void *argument, bool fresh);
    void *argument;
    uint64_t patience; /* longest time that an interrupt may take to arrive, in TSC ticks */
    uint32_t avoid;    /* GSIs that must not be used; bit n: GSI n is in use */
};

/* Must be zeroed before its first use, and must not move. */
struct pci_interrupt {
    enum device_interrupt kind;
    uint8_t vector; /* vector of the interrupt; 0: none has been assigned yet */
    struct pci_function function;
    struct pci_interrupt_user user;
    volatile uint64_t arrived; /* number of interrupts of this device */
    /* Number of interrupts of other devices since the last one of this device. */
    uint32_t foreign;
    /* The pin's input was closed, because other devices interrupt there endlessly. */
    bool stopped;
    bool raises_nmis; /* the pin was not used, because its line raises NMIs */
    /* The settings of the function that are restored when it is closed. */
    uint16_t command;
    unsigned capability;
    uint32_t control;
    uint32_t message[4];
    volatile uint32_t *entry; /* entry of the MSI-X table */
    struct ioapic_input input;
};

/* Call once. Keeps the pointer `acpi`. Until then no pin is tried. */
void pci_interrupt_use(const struct acpi_facts *acpi);

/* Opens the interrupt; from now on `user` handles it, on the current processor. The function must
 * decode memory, be bus master and have its pin disabled (pci.h). Returns how interrupts arrive.
 * Call with interrupts on. */
enum device_interrupt pci_interrupt_open(struct pci_interrupt *interrupt,
                                         const struct pci_function *function,
                                         const struct pci_interrupt_user *user);
/* Restores the function's settings, also if no interrupt arrived. */
void pci_interrupt_close(struct pci_interrupt *interrupt);
