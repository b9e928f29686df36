/* SPDX-License-Identifier: BSD-2-Clause */
/* The interrupt of a disk, as kernel/clock/alarm.h opens it. */
#pragma once

#include "kernel/block/block.h"
#include "kernel/irq/pci_interrupt.h"

/* Opens the interrupt of a disk. `patience` and `avoid` of the user need not be set. Returns how
 * interrupts arrive; BLOCK_POLLED: none does. Call with interrupts on. */
enum block_interrupt disk_interrupt_open(struct pci_interrupt *interrupt,
                                         const struct pci_function *function,
                                         const struct pci_interrupt_user *user);
