/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/exits/exits.h"

#include <stddef.h>

#include "kernel/clock/clock.h"
#include "kernel/clock/hpet.h"
#include "kernel/clock/pm_timer.h"
#include "kernel/clock/registers.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/port.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/link/line.h"
#include "kernel/mem/paging.h"

#define PORT_POST      0x80
#define NO_HYPERCALL   0xffffffffu
#define DEADLINE_US    3600000000ull
#define PAGE           4096
#define LAPIC_SELF_IPI 0x83fu

/* `low` is EAX or RAX, `high` EDX. */
typedef uint64_t exit_kernel(uint64_t count, uint64_t operand, uint64_t low, uint64_t high);

exit_kernel exit_nothing __attribute__((visibility("hidden")));
exit_kernel exit_rdtsc __attribute__((visibility("hidden")));
exit_kernel exit_cpuid __attribute__((visibility("hidden")));
exit_kernel exit_invlpg __attribute__((visibility("hidden")));
exit_kernel exit_cr3 __attribute__((visibility("hidden")));
exit_kernel exit_rdmsr __attribute__((visibility("hidden")));
exit_kernel exit_wrmsr __attribute__((visibility("hidden")));
exit_kernel exit_load __attribute__((visibility("hidden")));
exit_kernel exit_store __attribute__((visibility("hidden")));
exit_kernel exit_in8 __attribute__((visibility("hidden")));
exit_kernel exit_in32 __attribute__((visibility("hidden")));
exit_kernel exit_out8 __attribute__((visibility("hidden")));
exit_kernel exit_vmcall __attribute__((visibility("hidden")));
exit_kernel exit_vmmcall __attribute__((visibility("hidden")));
int exit_try_vmcall(uint32_t number) __attribute__((visibility("hidden")));
int exit_try_vmmcall(uint32_t number) __attribute__((visibility("hidden")));

struct place {
    exit_kernel *kernel;
    uint64_t operand;
    uint64_t low;
    uint64_t high;
    const char *why; /* absent */
};

static struct place places[EXIT_OPERATIONS];
static volatile uint64_t arrived;
static uint64_t commands; /* since the last settling */

static void put(enum exit_operation operation, exit_kernel *kernel, uint64_t operand, uint64_t low,
                uint64_t high)
{
    places[operation] = (struct place){kernel, operand, low, high, NULL};
}

static void lack(enum exit_operation operation, const char *why)
{
    places[operation] = (struct place){.why = why};
}

static void find_lapic(const struct cpu_identity *identity)
{
    const uint64_t version = lapic_place(LAPIC_PLACE_VERSION);
    const uint64_t end = lapic_place(LAPIC_PLACE_END_OF_INTERRUPT);
    const uint64_t command = lapic_place(LAPIC_PLACE_COMMAND);
    const uint64_t self = LAPIC_TO_SELF | EXITS_VECTOR;
    const bool x2apic = lapic_state()->x2apic;

    for (enum exit_operation i = EXIT_TSC_DEADLINE; i <= EXIT_LAPIC_ICR; i++) {
        const bool of_msrs = i < EXIT_LAPIC_READ;

        lack(i, !lapic_state()->present ? "no local APIC"
                : of_msrs ? "the local APIC is in xAPIC mode: its registers are memory"
                          : "the local APIC is in x2APIC mode: its registers are MSRs");
    }
    if (lapic_state()->present && x2apic) {
        put(EXIT_X2APIC_READ, exit_rdmsr, version, 0, 0);
        put(EXIT_X2APIC_EOI, exit_wrmsr, end, 0, 0);
        put(EXIT_X2APIC_ICR, exit_wrmsr, command, self, 0);
        put(EXIT_X2APIC_SELF, exit_wrmsr, LAPIC_SELF_IPI, EXITS_VECTOR, 0);
    } else if (lapic_state()->present) {
        put(EXIT_LAPIC_READ, exit_load, version, 0, 0);
        put(EXIT_LAPIC_EOI, exit_store, end, 0, 0);
        put(EXIT_LAPIC_ICR, exit_store, command, self, 0);
    }
    if (lapic_state()->present && identity->tsc_deadline) {
        put(EXIT_TSC_DEADLINE, exit_wrmsr, MSR_TSC_DEADLINE, 0, 0);
    } else if (lapic_state()->present) {
        lack(EXIT_TSC_DEADLINE, "CPUID shows no TSC deadline");
    }
}

static void find_ports(void)
{
    const struct uart *uart = line_uart();
    const struct acpi_address *pm_timer = pm_timer_place();

    put(EXIT_PORT80_READ, exit_in8, 0, 0, PORT_POST);
    put(EXIT_PORT80_WRITE, exit_out8, 0, 0, PORT_POST);
    if (uart == NULL || !uart->io) {
        const char *why = uart == NULL ? "no serial port" : "the serial port is in memory";

        lack(EXIT_UART_READ, why);
        lack(EXIT_UART_WRITE, why);
    } else {
        const uint16_t port = uart_scratch_port(uart);

        put(EXIT_UART_READ, exit_in8, 0, 0, port);
        put(EXIT_UART_WRITE, exit_out8, 0, port_read8(port), port);
    }
    if (pm_timer->address != 0 && pm_timer->io) {
        put(EXIT_PM_TIMER_READ, exit_in32, 0, 0, pm_timer->address);
    } else {
        lack(EXIT_PM_TIMER_READ,
             pm_timer->address == 0 ? "no PM timer in the FADT" : "the PM timer is in memory");
    }
}

/* The last page of the lower half of what the processor can address: far from memory and from what
 * firmware gives devices, below bits that encryption of memory takes. */
static void find_nothing(const struct cpu_identity *identity)
{
    const uint64_t address = (1ull << (identity->physical_bits - 1)) - PAGE;

    if (!identity->hypervisor_bit) {
        lack(EXIT_NOTHING_READ,
             "CPUID shows no hypervisor: a chipset may watch addresses without an owner");
    } else if (!paging_map_device(address, PAGE) || !paging_reaches(address, PAGE)) {
        lack(EXIT_NOTHING_READ, "the page tables do not reach an address where nothing is");
    } else {
        const uint32_t seen = register_read32(address);

        put(EXIT_NOTHING_READ, exit_load, address, 0, 0);
        if (seen != 0 && seen != REGISTER_GONE) {
            lack(EXIT_NOTHING_READ, "something answers where nothing was expected");
        }
    }
}

static void find_hypercalls(const struct cpu_identity *identity)
{
    const bool amd = cpu_is_amd(identity);

    lack(EXIT_VMCALL, "an instruction of the other vendor's processors");
    lack(EXIT_VMMCALL, "an instruction of the other vendor's processors");
    if (amd && exit_try_vmmcall(NO_HYPERCALL) != 0) {
        lack(EXIT_VMMCALL, "no hypervisor takes it: #UD");
    } else if (amd) {
        put(EXIT_VMMCALL, exit_vmmcall, 0, NO_HYPERCALL, 0);
    } else if (exit_try_vmcall(NO_HYPERCALL) != 0) {
        lack(EXIT_VMCALL, "no hypervisor takes it: #UD");
    } else {
        put(EXIT_VMCALL, exit_vmcall, 0, NO_HYPERCALL, 0);
    }
}

void exits_find(void *page)
{
    struct cpu_identity identity;
    uint64_t base;
    const uint64_t hpet = hpet_counter_address();

    cpu_identify(cpuid_instruction, &identity);
    put(EXIT_LOOP, exit_nothing, 0, 0, 0);
    put(EXIT_RDTSC, exit_rdtsc, 0, 0, 0);
    put(EXIT_CPUID, exit_cpuid, 0, 0, 0);
    put(EXIT_INVLPG, exit_invlpg, (uint64_t)(uintptr_t)page, 0, 0);
    put(EXIT_CR3, exit_cr3, 0, cr3_read(), 0);
    put(EXIT_RDMSR, exit_rdmsr, MSR_APIC_BASE, 0, 0);
    if (msr_read(MSR_APIC_BASE, &base) != 0) {
        lack(EXIT_RDMSR, "IA32_APIC_BASE faults");
    }
    find_lapic(&identity);
    put(EXIT_HPET_READ, exit_load, hpet, 0, 0);
    if (hpet == 0) {
        lack(EXIT_HPET_READ, "no HPET that counts");
    }
    find_nothing(&identity);
    find_ports();
    find_hypercalls(&identity);
    commands = 0;
}

const char *exits_absent(enum exit_operation operation)
{
    return places[operation].why;
}

static bool sends_command(enum exit_operation operation)
{
    return operation == EXIT_X2APIC_ICR || operation == EXIT_X2APIC_SELF ||
           operation == EXIT_LAPIC_ICR;
}

uint64_t exits_repeat(enum exit_operation operation, uint64_t count)
{
    struct place *place = &places[operation];

    if (operation == EXIT_TSC_DEADLINE) {
        const uint64_t deadline = tsc_read() + clock_ticks_from_us(DEADLINE_US);

        lapic_timer_mask_deadline();
        place->low = (uint32_t)deadline;
        place->high = deadline >> 32;
    }
    commands += sends_command(operation) ? count : 0;
    return place->kernel(count, place->operand, place->low, place->high);
}

static void take(void *argument)
{
    (void)argument;
    arrived++;
}

/* What was sent so often is pending once. */
static bool let_in(void)
{
    arrived = 0;
    interrupt_attach(EXITS_VECTOR, "repeated", take, NULL);
    interrupts_enable();
    for (int i = 0; i < 1000 && arrived == 0; i++) {
        cpu_pause();
    }
    interrupts_disable();
    interrupt_detach(EXITS_VECTOR);
    return arrived == (commands > 0 ? 1 : 0);
}

bool exits_settle(enum exit_operation operation)
{
    const struct place *place = &places[operation];
    bool good = true;

    if (operation == EXIT_TSC_DEADLINE) {
        msr_write(MSR_TSC_DEADLINE, 0);
        lapic_timer_stop();
    }
    if (operation == EXIT_UART_WRITE) {
        good = port_read8((uint16_t)place->high) == place->low;
    }
    if (commands > 0) {
        good = let_in();
        commands = 0;
    }
    return good;
}
