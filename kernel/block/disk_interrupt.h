/* SPDX-License-Identifier: BSD-2-Clause */
/* The interrupt of a disk (kernel/clock/alarm.h). */
#pragma once

#include "kernel/block/block.h"
#include "kernel/irq/pci_interrupt.h"

/* How interrupts arrive; BLOCK_POLLED: none does. Of the user, patience and avoid need not be set.
 * Interrupts on. */
enum block_interrupt disk_interrupt_open(struct pci_interrupt *interrupt,
                                         const struct pci_function *function,
                                         const struct pci_interrupt_user *user);
