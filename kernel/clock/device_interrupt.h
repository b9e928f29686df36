/* SPDX-License-Identifier: BSD-2-Clause */
/* The interrupt of a device's PCI function, as kernel/irq/pci_interrupt.h finds it, away from the
 * alarm (alarm.h): with the clock it is known how long to wait for one. */
#pragma once

#include "kernel/irq/pci_interrupt.h"

/* How interrupts arrive. Of the user, patience and avoid are set here. Interrupts on. Closed by
 * pci_interrupt_close(). */
enum pci_interrupt_kind device_interrupt_open(struct pci_interrupt *interrupt,
                                              const struct pci_function *function,
                                              const struct pci_interrupt_user *user);
