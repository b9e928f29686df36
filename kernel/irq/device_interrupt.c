/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/device_interrupt.h"

const char *device_interrupt_name(enum device_interrupt interrupt)
{
    static const char *const names[] = {
        [INTERRUPT_POLLED] = "polled", [INTERRUPT_INTX] = "INTx",   [INTERRUPT_MSI] = "MSI",
        [INTERRUPT_MSIX] = "MSI-X",    [INTERRUPT_TIMER] = "timer",
    };

    return names[interrupt];
}
