/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/device_interrupt.h"

#include "kernel/clock/alarm.h"
#include "kernel/clock/clock.h"

#define PROOF_US 50000

enum pci_interrupt_kind device_interrupt_open(struct pci_interrupt *interrupt,
                                              const struct pci_function *function,
                                              const struct pci_interrupt_user *user)
{
    struct pci_interrupt_user patient = *user;

    patient.patience = clock_ticks_from_us(PROOF_US);
    patient.avoid = alarm_hpet_input();
    enum pci_interrupt_kind kind = pci_interrupt_open(interrupt, function, &patient);

    if (kind == PCI_INTERRUPT_NONE && interrupt->raises_nmis && alarm_move()) {
        patient.avoid = alarm_hpet_input();
        kind = pci_interrupt_open(interrupt, function, &patient);
    }
    return kind;
}
