/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/ioapic.h"

#define REGISTER_SELECT 0x00
#define REGISTER_WINDOW 0x10
#define VERSION         0x01
#define REDIRECTION     0x10
#define ACTIVE_LOW      (1u << 13)
#define LEVEL           (1u << 15)
#define MASKED          (1u << 16)
#define DELIVER_NMI     (4u << 8)
/* Bits that are set if the input raises something other than a vector. */
#define DELIVER_OTHER (6u << 8)
#define VECTOR        0xffu
#define STANDARD      0xfec00000ull

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

/* Returns the number of inputs, or 0 if there is no answer. */
static uint32_t input_count(uint64_t base)
{
    const uint32_t version = ioapic_read(base, VERSION);
    const uint32_t inputs = (version >> 16 & 255) + 1;

    return version == UINT32_MAX || inputs > IOAPIC_INPUTS_MAX ? 0 : inputs;
}

void ioapic_save(const struct acpi_facts *acpi, struct ioapic_state *state)
{
    state->count = 0;
    for (size_t i = 0; i < acpi->io_apic_count; i++) {
        const uint32_t inputs = input_count(acpi->io_apics[i]);

        for (uint32_t input = 0; input < inputs && state->count < IOAPIC_SAVED_MAX; input++) {
            const uint32_t index = REDIRECTION + 2 * input;

            state->entry[state->count++] = (uint64_t)ioapic_read(acpi->io_apics[i], index + 1)
                                               << 32 |
                                           ioapic_read(acpi->io_apics[i], index);
        }
    }
}

/* Writes the destination of each interrupt before it may come. */
void ioapic_restore(const struct acpi_facts *acpi, const struct ioapic_state *state)
{
    size_t at = 0;

    for (size_t i = 0; i < acpi->io_apic_count; i++) {
        const uint32_t inputs = input_count(acpi->io_apics[i]);

        for (uint32_t input = 0; input < inputs && at < state->count; input++, at++) {
            const uint32_t index = REDIRECTION + 2 * input;

            ioapic_write(acpi->io_apics[i], index + 1, (uint32_t)(state->entry[at] >> 32));
            ioapic_write(acpi->io_apics[i], index, (uint32_t)state->entry[at]);
        }
    }
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

bool ioapic_mask_vector(const struct acpi_facts *acpi, uint8_t vector, uint32_t *gsi)
{
    bool masked = false;

    for (size_t i = 0; i < acpi->io_apic_count; i++) {
        const uint64_t base = acpi->io_apics[i];
        volatile uint32_t *select = (volatile uint32_t *)(uintptr_t)(base + REGISTER_SELECT);
        const uint32_t selected = *select;
        const uint32_t inputs = input_count(base);

        for (uint32_t input = 0; input < inputs; input++) {
            const uint32_t entry = ioapic_read(base, REDIRECTION + 2 * input);

            if ((entry & (MASKED | DELIVER_OTHER | VECTOR)) == vector) {
                ioapic_write(base, REDIRECTION + 2 * input, entry | MASKED);
                *gsi = acpi->io_apic_first[i] + input;
                masked = true;
            }
        }
        *select = selected;
    }
    return masked;
}

/* Returns whether there is an I/O APIC at its standard address, where PCs without tables have it.
 * Writes two values to the select register; both must read back, so that a leftover value of
 * another device is not mistaken for an I/O APIC. */
static bool is_at_standard_address(void)
{
    volatile uint32_t *select = (volatile uint32_t *)(uintptr_t)(STANDARD + REGISTER_SELECT);

    for (uint32_t index = 0; index <= VERSION; index++) {
        *select = index;
        if (*select != index) {
            return false;
        }
    }
    return (ioapic_read(STANDARD, VERSION) & 255) != 0 && input_count(STANDARD) >= ACPI_ISA_IRQS;
}

bool ioapic_find_input(const struct acpi_facts *acpi, uint32_t gsi, struct ioapic_input *input)
{
    for (size_t i = 0; i < acpi->io_apic_count; i++) {
        /* The difference wraps if the first input is above `gsi`. */
        const uint32_t number = gsi - acpi->io_apic_first[i];

        if (number < input_count(acpi->io_apics[i])) {
            *input = (struct ioapic_input){acpi->io_apics[i], number};
            return true;
        }
    }
    *input = (struct ioapic_input){STANDARD, gsi};
    return acpi->io_apic_count == 0 && gsi < ACPI_ISA_IRQS && is_at_standard_address();
}

void ioapic_route(const struct ioapic_input *input, const struct acpi_interrupt *line,
                  uint8_t vector, uint32_t lapic)
{
    const uint32_t index = REDIRECTION + 2 * input->number;

    ioapic_write(input->address, index,
                 MASKED | (line->level ? LEVEL : 0) | (line->active_low ? ACTIVE_LOW : 0) | vector);
    ioapic_write(input->address, index + 1, lapic << 24);
}

void ioapic_route_nmi(const struct ioapic_input *input, bool active_low, uint32_t lapic)
{
    const uint32_t index = REDIRECTION + 2 * input->number;

    ioapic_write(input->address, index + 1, lapic << 24);
    ioapic_write(input->address, index, DELIVER_NMI | (active_low ? ACTIVE_LOW : 0));
}

bool ioapic_is_open(const struct ioapic_input *input)
{
    return (ioapic_read(input->address, REDIRECTION + 2 * input->number) & MASKED) == 0;
}

void ioapic_open_input(const struct ioapic_input *input)
{
    const uint32_t index = REDIRECTION + 2 * input->number;

    ioapic_write(input->address, index, ioapic_read(input->address, index) & ~MASKED);
}

void ioapic_close_input(const struct ioapic_input *input)
{
    ioapic_write(input->address, REDIRECTION + 2 * input->number, MASKED);
}
