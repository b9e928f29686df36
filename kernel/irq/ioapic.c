/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/ioapic.h"

#define REGISTER_SELECT 0x00
#define REGISTER_WINDOW 0x10
#define VERSION         0x01
#define REDIRECTION     0x10
#define MASKED          (1u << 16)
#define INPUTS_MAX      240

static uint32_t ioapic_read(uint64_t base, uint32_t index)
{
    *(volatile uint32_t *)(uintptr_t)(base + REGISTER_SELECT) = index;
    return *(volatile uint32_t *)(uintptr_t)(base + REGISTER_WINDOW);
}

static void ioapic_write(uint64_t base, uint32_t index, uint32_t value)
{
    *(volatile uint32_t *)(uintptr_t)(base + REGISTER_SELECT) = index;
    *(volatile uint32_t *)(uintptr_t)(base + REGISTER_WINDOW) = value;
}

size_t ioapic_mask_all(const struct acpi_facts *acpi)
{
    size_t masked = 0;

    for (size_t i = 0; i < acpi->io_apic_count; i++) {
        const uint64_t base = acpi->io_apics[i];
        const uint32_t version = ioapic_read(base, VERSION);
        const uint32_t inputs = (version >> 16 & 255) + 1;

        if (version == UINT32_MAX || inputs > INPUTS_MAX) {
            continue; /* nobody answers there */
        }
        for (uint32_t input = 0; input < inputs; input++) {
            ioapic_write(base, REDIRECTION + 2 * input, MASKED);
            masked++;
        }
    }
    return masked;
}
