/* SPDX-License-Identifier: BSD-2-Clause */
/* The interrupt of a NIC (kernel/clock/alarm.h). */
#pragma once

#include "kernel/irq/pci_interrupt.h"
#include "kernel/net/nic.h"

/* How interrupts arrive; NIC_POLLED: none does. Of the user, patience and avoid need not be set.
 * Interrupts on. */
enum nic_interrupt nic_interrupt_open(struct pci_interrupt *interrupt,
                                      const struct pci_function *function,
                                      const struct pci_interrupt_user *user);
