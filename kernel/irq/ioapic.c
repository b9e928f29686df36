/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/ioapic.h"

#define REGISTER_SELECT 0x00
#define REGISTER_WINDOW 0x10
#define VERSION         0x01
#define REDIRECTION     0x10
#define MASKED          (1u << 16)
#define DELIVER_NMI     (4u << 8)
#define LAPIC_ID_MAX    0xfe
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

/* 0 where nobody answers. */
static uint32_t input_count(uint64_t base)
{
    const uint32_t version = ioapic_read(base, VERSION);
    const uint32_t inputs = (version >> 16 & 255) + 1;

    return version == UINT32_MAX || inputs > INPUTS_MAX ? 0 : inputs;
}

size_t ioapic_mask_all(const struct acpi_facts *acpi)
{
    size_t masked = 0;

    for (size_t i = 0; i < acpi->io_apic_count; i++) {
        const uint64_t base = acpi->io_apics[i];
        const uint32_t inputs = input_count(base);

        for (uint32_t input = 0; input < inputs; input++) {
            ioapic_write(base, REDIRECTION + 2 * input, MASKED);
            masked++;
        }
    }
    return masked;
}

bool ioapic_can_route(const struct acpi_facts *acpi, uint32_t input, uint32_t lapic)
{
    return acpi->io_apic_count > 0 && lapic <= LAPIC_ID_MAX &&
           input < input_count(acpi->io_apics[0]);
}

void ioapic_route_nmi(const struct acpi_facts *acpi, uint32_t input, uint32_t lapic)
{
    ioapic_write(acpi->io_apics[0], REDIRECTION + 2 * input + 1, lapic << 24);
    ioapic_write(acpi->io_apics[0], REDIRECTION + 2 * input, DELIVER_NMI);
}

void ioapic_mask(const struct acpi_facts *acpi, uint32_t input)
{
    ioapic_write(acpi->io_apics[0], REDIRECTION + 2 * input, MASKED);
}
