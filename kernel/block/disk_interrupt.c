/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/disk_interrupt.h"

#include "kernel/clock/alarm.h"
#include "kernel/clock/clock.h"

#define PROOF_US 50000

enum block_interrupt disk_interrupt_open(struct pci_interrupt *interrupt,
                                         const struct pci_function *function,
                                         const struct pci_interrupt_user *user)
{
    static const enum block_interrupt kinds[] = {
        [PCI_INTERRUPT_NONE] = BLOCK_POLLED,
        [PCI_INTERRUPT_INTX] = BLOCK_INTX,
        [PCI_INTERRUPT_MSI] = BLOCK_MSI,
        [PCI_INTERRUPT_MSIX] = BLOCK_MSIX,
    };
    struct pci_interrupt_user patient = *user;

    patient.patience = clock_ticks_from_us(PROOF_US);
    patient.avoid = alarm_hpet_input();
    enum pci_interrupt_kind kind = pci_interrupt_open(interrupt, function, &patient);

    if (kind == PCI_INTERRUPT_NONE && interrupt->raises_nmis && alarm_move()) {
        patient.avoid = alarm_hpet_input();
        kind = pci_interrupt_open(interrupt, function, &patient);
    }
    return kinds[kind];
}
