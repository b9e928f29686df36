/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interrupt of a PCI function, as one vector of this processor: by MSI-X, by MSI, or by the pin
 * (INTx), whichever arrives first when they are tried in this order.
 *
 * Nothing is believed: a kind counts as working when the driver has made its device interrupt and
 * the interrupt has come. Where the pin arrives is found out the same way: firmware's tables have
 * it in bytecode alone, so that the inputs that may be it are opened one at a time. A pin whose
 * line raises NMIs, as that of the alarm does (kernel/clock/alarm.h), is not used.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"
#include "kernel/dev/pci.h"
#include "kernel/irq/ioapic.h"

/* Of a class above input and timer. A device keeps its vector until the end of the run. */
#define PCI_INTERRUPT_VECTOR_FIRST 0x70
#define PCI_INTERRUPT_VECTORS      16

enum pci_interrupt_kind {
    PCI_INTERRUPT_NONE, /* no interrupt arrives */
    PCI_INTERRUPT_INTX,
    PCI_INTERRUPT_MSI,
    PCI_INTERRUPT_MSIX,
};

struct pci_interrupt_user {
    const char *name; /* of the vector in the trace; it lives until the end of the run */
    /* Takes what the device has done, so that it withdraws its interrupt. False: there was nothing,
     * the interrupt was somebody else's. Interrupts off, in the handler. */
    bool (*take)(void *argument);
    /* Has the device interrupt once, soon. What an earlier attempt left undone is taken first.
     * `fresh`: another kind than before has just been set up, for devices that learn it at their
     * start. False: the device cannot. Interrupts off. */
    bool (*provoke)(void *argument, bool fresh);
    void *argument;
    uint64_t patience; /* TSC ticks that an interrupt may take to arrive */
    uint32_t avoid;    /* bit n: GSI n is in use */
};

/* Zeroed before its first use; it stays where it is. */
struct pci_interrupt {
    enum pci_interrupt_kind kind;
    uint8_t vector; /* 0: it has none yet */
    struct pci_function function;
    struct pci_interrupt_user user;
    volatile uint64_t arrived; /* interrupts of this device */
    uint32_t foreign;          /* those of others since its last one */
    bool stopped;              /* the pin's input is closed: others interrupt there without end */
    bool raises_nmis;          /* the pin was not used, as its line raises NMIs */
    /* What is put back. */
    uint16_t command;
    unsigned capability;
    uint32_t control;
    uint32_t message[4];
    volatile uint32_t *entry; /* of the MSI-X table */
    struct ioapic_input input;
};

/* Once; `acpi` must stay. Before, no pin is tried. */
void pci_interrupt_use(const struct acpi_facts *acpi);

/* From now on `user` takes the interrupts of the function, which decodes memory, is bus master and
 * has its pin disabled (pci.h). The processor is the one that runs here. Interrupts on. */
enum pci_interrupt_kind pci_interrupt_open(struct pci_interrupt *interrupt,
                                           const struct pci_function *function,
                                           const struct pci_interrupt_user *user);
/* As it was before, also where no interrupt arrived. */
void pci_interrupt_close(struct pci_interrupt *interrupt);
