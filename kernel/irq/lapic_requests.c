/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/lapic_requests.h"

#include <stdint.h>

#include "kernel/cpu/msr.h"
#include "kernel/irq/lapic.h"

#define REQUESTED 0x200u /* eight registers, 10h apart */
#define REGISTERS 8

unsigned lapic_requests(void)
{
    const struct lapic *lapic = lapic_state();
    unsigned count = 0;

    for (unsigned i = 0; i < REGISTERS; i++) {
        uint64_t bits = 0;

        if (lapic->x2apic) {
            msr_read(MSR_X2APIC_FIRST + REQUESTED / 16 + i, &bits);
        } else {
            bits = *(volatile uint32_t *)(uintptr_t)(lapic->address + REQUESTED + 0x10u * i);
        }
        for (uint32_t left = (uint32_t)bits; left != 0; left &= left - 1) {
            count++;
        }
    }
    return count;
}
