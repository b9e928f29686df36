/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/pci_interrupt.h"

#include <stddef.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/exception.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/mem/paging.h"

/* An MSI to the LAPIC (SDM volume 3 section 11.11): fixed delivery, edge, physical. */
#define MESSAGE_ADDRESS  0xfee00000u
#define MESSAGE_ID_SHIFT 12

/* Bits of an MSI capability's first word; its upper half is the control (PCI 3.0, 6.8.1). */
#define MSI_ENABLE   0x00010000u
#define MSI_MULTIPLE 0x00700000u
#define MSI_WIDE     0x00800000u
#define MSI_MASKABLE 0x01000000u

/* Bits and offsets of an MSI-X capability (PCI 3.0 section 6.8.2). */
#define MSIX_ENABLE      0x80000000u
#define MSIX_MASK_ALL    0x40000000u
#define MSIX_TABLE       4
#define MSIX_BAR         0x7u
#define MSIX_ENTRY_BYTES 16

#define PIN_FIRST 16u /* first GSI that chipsets have for the pins of PCI */
#define PIN_LAST  23u

#define PROOFS      3   /* number of test interrupts that must arrive */
#define FOREIGN_MAX 100 /* number of interrupts of other devices after which an input is closed */

static const struct acpi_facts *tables; /* the ACPI tables; NULL: no pin is tried */
static unsigned vectors_taken;

/* State while a pin is tested. */
static exception_nmi_check *other_check;
static volatile unsigned stray_nmis;

void pci_interrupt_use(const struct acpi_facts *acpi)
{
    tables = acpi;
}

/* Handles the interrupt. Closes a pin's input on which only other devices interrupt, endlessly. */
static void on_pci_interrupt(void *argument)
{
    struct pci_interrupt *interrupt = argument;
    const uint64_t flags = interrupts_save();

    if (interrupt->user.take(interrupt->user.argument)) {
        interrupt->arrived++;
        interrupt->foreign = 0;
    } else if (interrupt->kind == INTERRUPT_INTX && ++interrupt->foreign >= FOREIGN_MAX) {
        ioapic_close_input(&interrupt->input);
        interrupt->stopped = true;
    }
    interrupts_restore(flags);
}

/* Returns whether the interrupt arrives each time that the device is made to raise it. */
static bool prove(struct pci_interrupt *interrupt)
{
    interrupt->stopped = false;
    interrupt->foreign = 0;
    for (unsigned i = 0; i < PROOFS; i++) {
        const uint64_t before = interrupt->arrived;
        const uint64_t flags = interrupts_save();
        const bool provoked = interrupt->user.provoke(interrupt->user.argument, i == 0);
        struct tsc_wait wait = tsc_wait_begin(interrupt->user.patience);

        interrupts_restore(flags);
        while (provoked && interrupt->arrived == before && !interrupt->stopped &&
               !tsc_wait_over(&wait)) {
            cpu_pause();
        }
        if (interrupt->arrived == before || interrupt->stopped) {
            return false;
        }
    }
    return true;
}

static uint32_t message_address(void)
{
    return MESSAGE_ADDRESS | interrupt_device_lapic() << MESSAGE_ID_SHIFT;
}

/* ---- MSI-X ---- */

/* Returns the first entry of the MSI-X table in the function's memory, or NULL. */
static volatile uint32_t *msix_entry(const struct pci_function *function, unsigned capability)
{
    const uint32_t table = pci_read(function, capability + MSIX_TABLE);

    if ((table & MSIX_BAR) >= PCI_BARS) {
        return NULL;
    }
    const struct pci_bar bar = pci_bar_read(function, table & MSIX_BAR);
    const uint64_t address = bar.base + (table & ~MSIX_BAR);

    return !bar.io && bar.base != 0 && paging_map_device(address, MSIX_ENTRY_BYTES)
               ? (volatile uint32_t *)(uintptr_t)address
               : NULL;
}

static void close_msix(struct pci_interrupt *interrupt)
{
    pci_write(&interrupt->function, interrupt->capability,
              interrupt->control | MSIX_ENABLE | MSIX_MASK_ALL);
    for (unsigned i = 0; i < 4; i++) {
        interrupt->entry[i] = interrupt->message[i];
    }
    pci_write(&interrupt->function, interrupt->capability, interrupt->control);
}

/* The table can be written only while MSI-X is on, so all its entries are masked meanwhile. */
static bool open_msix(struct pci_interrupt *interrupt)
{
    const struct pci_function *function = &interrupt->function;

    interrupt->capability = pci_capability(function, PCI_CAPABILITY_MSIX);
    interrupt->entry =
        interrupt->capability != 0 ? msix_entry(function, interrupt->capability) : NULL;
    if (interrupt->entry == NULL) {
        return false;
    }
    interrupt->kind = INTERRUPT_MSIX;
    interrupt->control = pci_read(function, interrupt->capability);
    pci_write(function, interrupt->capability, interrupt->control | MSIX_ENABLE | MSIX_MASK_ALL);
    for (unsigned i = 0; i < 4; i++) {
        interrupt->message[i] = interrupt->entry[i];
    }
    interrupt->entry[0] = message_address();
    interrupt->entry[1] = 0;
    interrupt->entry[2] = interrupt->vector;
    interrupt->entry[3] = 0;
    pci_write(function, interrupt->capability, (interrupt->control | MSIX_ENABLE) & ~MSIX_MASK_ALL);
    if (prove(interrupt)) {
        return true;
    }
    close_msix(interrupt);
    return false;
}

/* ---- MSI ---- */

/* Returns the number of registers after the control: address, data and mask, as far as the
 * capability has them. */
static unsigned msi_registers(const struct pci_interrupt *interrupt)
{
    return 2 + ((interrupt->control & MSI_WIDE) != 0 ? 1 : 0) +
           ((interrupt->control & MSI_MASKABLE) != 0 ? 1 : 0);
}

static void close_msi(struct pci_interrupt *interrupt)
{
    pci_write(&interrupt->function, interrupt->capability, interrupt->control & ~MSI_ENABLE);
    for (unsigned i = 0; i < msi_registers(interrupt); i++) {
        pci_write(&interrupt->function, interrupt->capability + 4 + 4 * i, interrupt->message[i]);
    }
    pci_write(&interrupt->function, interrupt->capability, interrupt->control);
}

static bool open_msi(struct pci_interrupt *interrupt)
{
    const struct pci_function *function = &interrupt->function;
    const unsigned capability = pci_capability(function, PCI_CAPABILITY_MSI);

    if (capability == 0) {
        return false;
    }
    interrupt->kind = INTERRUPT_MSI;
    interrupt->capability = capability;
    interrupt->control = pci_read(function, capability);
    const unsigned count = msi_registers(interrupt);
    const bool wide = (interrupt->control & MSI_WIDE) != 0;
    const uint32_t off = interrupt->control & ~(MSI_ENABLE | MSI_MULTIPLE);

    pci_write(function, capability, off);
    for (unsigned i = 0; i < count; i++) {
        interrupt->message[i] = pci_read(function, capability + 4 + 4 * i);
        pci_write(function, capability + 4 + 4 * i, 0);
    }
    pci_write(function, capability + 4, message_address());
    pci_write(function, capability + (wide ? 12 : 8), interrupt->vector);
    pci_write(function, capability, off | MSI_ENABLE);
    if (prove(interrupt)) {
        return true;
    }
    close_msi(interrupt);
    return false;
}

/* ---- the pin ---- */

/* Counts NMIs of unknown source: the line may be the alarm's (kernel/clock/alarm.h). */
static enum nmi_kind count_nmi(void)
{
    const enum nmi_kind kind = other_check != NULL ? other_check() : NMI_UNKNOWN;

    if (kind != NMI_UNKNOWN) {
        return kind;
    }
    stray_nmis++;
    return NMI_HANDLED;
}

static void close_pin(struct pci_interrupt *interrupt)
{
    ioapic_close_input(&interrupt->input);
    pci_command_restore(&interrupt->function, interrupt->command);
}

/* Tries one input; closes it again unless the interrupt arrives there. */
static bool try_input(struct pci_interrupt *interrupt, const struct acpi_interrupt *line)
{
    if ((line->gsi < 32 && (interrupt->user.avoid >> line->gsi & 1) != 0) ||
        !ioapic_find_input(tables, line->gsi, &interrupt->input) ||
        ioapic_is_open(&interrupt->input)) {
        return false;
    }
    ioapic_route(&interrupt->input, line, interrupt->vector, interrupt_device_lapic());
    ioapic_open_input(&interrupt->input);
    if (prove(interrupt)) {
        return true;
    }
    ioapic_close_input(&interrupt->input);
    return false;
}

/* Returns trigger and polarity of a line. If firmware routed it to an input of the ISA bus, it is
 * level-triggered there as well, and active low unless a table states the opposite. */
static struct acpi_interrupt line_of(uint32_t line)
{
    if (line >= ACPI_ISA_IRQS) {
        return (struct acpi_interrupt){.gsi = line, .active_low = true, .level = true};
    }
    const struct acpi_interrupt *isa = &tables->isa[line];

    return (struct acpi_interrupt){
        .gsi = isa->gsi, .active_low = !isa->level || isa->active_low, .level = true};
}

static bool try_inputs(struct pci_interrupt *interrupt, uint32_t line)
{
    const struct acpi_interrupt routed = line_of(line);

    if (line <= PIN_LAST && try_input(interrupt, &routed)) {
        return true;
    }
    for (uint32_t gsi = PIN_FIRST; gsi <= PIN_LAST && stray_nmis == 0; gsi++) {
        const struct acpi_interrupt input = line_of(gsi);

        if (gsi != routed.gsi && try_input(interrupt, &input)) {
            return true;
        }
    }
    return false;
}

static bool open_pin(struct pci_interrupt *interrupt)
{
    const uint32_t line = pci_read(&interrupt->function, PCI_INTERRUPT_LINE);

    if (tables == NULL || (line >> 8 & 0xff) == 0) {
        return false;
    }
    stray_nmis = 0;
    other_check = exception_get_nmi_check();
    exception_set_nmi_check(count_nmi);
    interrupt->kind = INTERRUPT_INTX;
    interrupt->command = pci_command_change(&interrupt->function, 0, PCI_INTX_DISABLE);
    bool open = try_inputs(interrupt, line & 0xff);

    if (open && stray_nmis != 0) {
        ioapic_close_input(&interrupt->input);
        open = false;
    }
    if (!open) {
        pci_command_restore(&interrupt->function, interrupt->command);
    }
    exception_set_nmi_check(other_check);
    interrupt->raises_nmis = stray_nmis != 0;
    return open;
}

/* ---- opening and closing ---- */

static bool has_vector(struct pci_interrupt *interrupt)
{
    if (interrupt->vector == 0 && vectors_taken < PCI_INTERRUPT_VECTORS) {
        interrupt->vector = (uint8_t)(PCI_INTERRUPT_VECTOR_FIRST + vectors_taken++);
    }
    return interrupt->vector != 0;
}

enum device_interrupt pci_interrupt_open(struct pci_interrupt *interrupt,
                                         const struct pci_function *function,
                                         const struct pci_interrupt_user *user)
{
    interrupt->kind = INTERRUPT_POLLED;
    if (!lapic_state()->present || lapic_id() > IOAPIC_LAPIC_MAX || !has_vector(interrupt)) {
        return INTERRUPT_POLLED;
    }
    interrupt->function = *function;
    interrupt->user = *user;
    interrupt->arrived = 0;
    interrupt->raises_nmis = false;
    interrupt_attach(interrupt->vector, user->name, on_pci_interrupt, interrupt);
    if (!open_msix(interrupt) && !open_msi(interrupt) && !open_pin(interrupt)) {
        interrupt->kind = INTERRUPT_POLLED;
        interrupt_detach(interrupt->vector);
    }
    return interrupt->kind;
}

void pci_interrupt_close(struct pci_interrupt *interrupt)
{
    switch (interrupt->kind) {
    case INTERRUPT_POLLED:
    case INTERRUPT_TIMER:
        return;
    case INTERRUPT_INTX:
        close_pin(interrupt);
        break;
    case INTERRUPT_MSI:
        close_msi(interrupt);
        break;
    case INTERRUPT_MSIX:
        close_msix(interrupt);
        break;
    }
    interrupt->kind = INTERRUPT_POLLED;
    interrupt_detach(interrupt->vector);
}
