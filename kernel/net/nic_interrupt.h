/* SPDX-License-Identifier: BSD-2-Clause */
/* The interrupt of a NIC, as kernel/clock/alarm.h opens it. */
#pragma once

#include "kernel/irq/pci_interrupt.h"
#include "kernel/net/nic.h"

/* Opens the interrupt of a NIC. `patience` and `avoid` of the user need not be set. Returns how
 * interrupts arrive; NIC_POLLED: none does. Call with interrupts on. */
enum nic_interrupt nic_interrupt_open(struct pci_interrupt *interrupt,
                                      const struct pci_function *function,
                                      const struct pci_interrupt_user *user);
