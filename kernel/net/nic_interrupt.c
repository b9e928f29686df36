/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net/nic_interrupt.h"

#include "kernel/clock/alarm.h"

enum nic_interrupt nic_interrupt_open(struct pci_interrupt *interrupt,
                                      const struct pci_function *function,
                                      const struct pci_interrupt_user *user)
{
    static const enum nic_interrupt kinds[] = {
        [PCI_INTERRUPT_NONE] = NIC_POLLED,
        [PCI_INTERRUPT_INTX] = NIC_INTX,
        [PCI_INTERRUPT_MSI] = NIC_MSI,
        [PCI_INTERRUPT_MSIX] = NIC_MSIX,
    };

    return kinds[device_interrupt_open(interrupt, function, user)];
}
