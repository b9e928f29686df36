/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/disk_interrupt.h"

#include "kernel/clock/alarm.h"

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

    return kinds[device_interrupt_open(interrupt, function, user)];
}
