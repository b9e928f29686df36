/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/system/exit_operations.h"

#include <stddef.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/clock/hpet.h"
#include "kernel/clock/registers.h"
#include "kernel/clock/source.h"
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
#define PORT_ELCR      0x4d0  /* edge or level of the inputs of the 8259 */
#define PORT_UNUSED    0x1234 /* no device of the platforms that hypervisors emulate has it */
#define LAPIC_SELF_IPI 0x83fu

/* `low` goes into EAX or RAX, `high` into EDX. */
typedef uint64_t exit_kernel(uint64_t count, uint64_t operand, uint64_t low, uint64_t high);

exit_kernel exit_loop __attribute__((visibility("hidden")));
#define EXIT_OPERATION(name, ...) exit_kernel exit_##name __attribute__((visibility("hidden")));
#include "bench/system/exit_operations.def"
int exit_try_vmcall(uint32_t number) __attribute__((visibility("hidden")));
int exit_try_vmmcall(uint32_t number) __attribute__((visibility("hidden")));

static exit_kernel *const kernels[EXIT_OPERATIONS] = {
    exit_loop,
#define EXIT_OPERATION(name, ...) exit_##name,
#include "bench/system/exit_operations.def"
};

/* what is set up before an operation, and undone or checked after it */
enum manner {
    PLAIN,
    COMMANDS, /* sends a command to this processor */
    DEADLINE, /* sets the TSC deadline */
    SCRATCH,  /* uses the UART's scratch register, which must keep its value */
    DELIVERS, /* lets one interrupt in for each repetition */
    TIMES,    /* as DELIVERS, by the TSC deadline */
};

/* operands of an operation: `low` goes into EAX or RAX, `high` into EDX */
struct place {
    uint64_t operand;
    uint64_t low;
    uint64_t high;
    enum manner manner;
    const char *why; /* reason why the operation is absent, or NULL */
};

static struct place places[EXIT_OPERATIONS];
static struct cpu_identity identity;
static uint64_t page_given;
static volatile uint64_t arrived;
static uint64_t commands; /* commands sent since the last exits_settle() */
static bool disobeyed;    /* since then, fewer interrupts came than were let in */
static uint64_t extra;    /* since exits_find(), interrupts beyond those that were let in */
/* repetitions whose interrupt has not arrived yet; wraps below 0 if one arrives twice */
volatile uint64_t exit_undelivered __attribute__((visibility("hidden")));

/* ---- functions that exit_operations.def calls to find operands ---- */

static struct place at(uint64_t operand, uint64_t low, uint64_t high)
{
    return (struct place){.operand = operand, .low = low, .high = high};
}

static struct place lacks(const char *why)
{
    return (struct place){.why = why};
}

static struct place apic_base(void)
{
    uint64_t base;

    return msr_read(MSR_APIC_BASE, &base) == 0 ? at(MSR_APIC_BASE, 0, 0)
                                               : lacks("reading IA32_APIC_BASE faults");
}

static struct place tsc_deadline(void)
{
    if (!lapic_state()->present) {
        return lacks("no local APIC");
    }
    return identity.tsc_deadline ? (struct place){.operand = MSR_TSC_DEADLINE, .manner = DEADLINE}
                                 : lacks("CPUID reports no TSC deadline mode");
}

/* Find a register of the local APIC in x2APIC mode (x2apic) or in xAPIC mode (xapic). */
static struct place x2apic(enum lapic_place place)
{
    if (!lapic_state()->present) {
        return lacks("no local APIC");
    }
    return lapic_state()->x2apic
               ? at(lapic_place(place), 0, 0)
               : lacks("the local APIC is in xAPIC mode: its registers are in memory");
}

static struct place xapic(enum lapic_place place)
{
    if (!lapic_state()->present) {
        return lacks("no local APIC");
    }
    return lapic_state()->x2apic ? lacks("the local APIC is in x2APIC mode: its registers are MSRs")
                                 : at(lapic_place(place), 0, 0);
}

/* Sets the value to write to the register, which sends a command to this processor. */
static struct place command(struct place place, uint64_t value)
{
    place.low = value;
    place.manner = COMMANDS;
    return place;
}

static struct place self_ipi(void)
{
    struct place place = command(x2apic(LAPIC_PLACE_VERSION), EXITS_VECTOR);

    place.operand = LAPIC_SELF_IPI;
    return place;
}

static struct place command_to_self(void)
{
    return command(xapic(LAPIC_PLACE_COMMAND), LAPIC_TO_SELF | EXITS_VECTOR);
}

/* Makes each repetition let the interrupt in that it sent. */
static struct place delivered(struct place place)
{
    place.manner = DELIVERS;
    return place;
}

static struct place deadline_past(void)
{
    struct place place = tsc_deadline();

    place.manner = TIMES;
    return place;
}

static uint64_t cr8_read(void)
{
    uint64_t value;

    __asm__ volatile("movq %%cr8, %0" : "=r"(value));
    return value;
}

static uint64_t dr7_read(void)
{
    uint64_t value;

    __asm__ volatile("movq %%dr7, %0" : "=r"(value));
    return value;
}

/* Returns whether IA32_TSC_ADJUST exists (SDM volume 2, CPUID leaf 7, EBX[1]). */
static bool has_tsc_adjust(void)
{
    return (cpuid_leaf(cpuid_instruction, &identity, 7, 0).ebx >> 1 & 1) != 0;
}

static struct place held(uint32_t msr, bool exists)
{
    uint64_t value;

    if (!exists) {
        return lacks("CPUID does not report this register");
    }
    return msr_read(msr, &value) == 0 ? at(msr, (uint32_t)value, value >> 32)
                                      : lacks("reading this register faults");
}

static struct place extended_control(void)
{
    const bool on = (cr4_read() & CR4_OSXSAVE) != 0;
    const uint64_t value = on ? xcr0_read() : 0;

    return on ? at(0, (uint32_t)value, value >> 32)
              : lacks("CR4.OSXSAVE is off: there is no register XCR0");
}

static struct place counter(void)
{
    uint64_t value;

    return counter_read(0, &value) == 0 ? at(0, 0, 0) : lacks("RDPMC of counter 0 faults");
}

static struct place monitored(void)
{
    struct mwait_facts facts;

    mwait_find(cpuid_instruction, &identity, &facts);
    return facts.offered ? at(0, page_given, 0) : lacks("CPUID reports no MONITOR and MWAIT");
}

/* Finds what only a hypervisor makes harmless. */
static struct place virtual_only(uint64_t port)
{
    return identity.hypervisor_bit ? at(0, 0, port)
                                   : lacks("CPUID reports no hypervisor, and a device may own the "
                                           "port, or emptying caches takes milliseconds");
}

static struct place kvm_only(void)
{
    return strcmp(identity.hypervisor, "KVMKVMKVM") == 0
               ? at(0, 0, 0)
               : lacks("CPUID does not report KVM, and elsewhere it may lose what caches hold");
}

static struct place hpet(void)
{
    const uint64_t counter = hpet_counter_address();

    return counter != 0 ? at(counter, 0, 0) : lacks("there is no working HPET");
}

/* Finds the last page of the lower half of the physical address space: far from memory and from
 * what firmware assigns to devices, and below the bits that memory encryption takes. */
static struct place nothing(void)
{
    const uint64_t address = (1ull << (identity.physical_bits - 1)) - PAGE;

    if (!identity.hypervisor_bit) {
        return lacks(
            "CPUID reports no hypervisor, and a chipset may watch addresses without an owner");
    }
    if (!paging_map_device(address, PAGE) || !paging_reaches(address, PAGE)) {
        return lacks("the page tables cannot map the unused address that this operation reads");
    }
    const uint32_t seen = register_read32(address);

    return seen == 0 || seen == REGISTER_GONE
               ? at(address, 0, 0)
               : lacks("a device answers at the address that was expected to be unused");
}

static struct place scratch(void)
{
    const struct uart *uart = line_uart();

    if (uart == NULL || !uart->io) {
        return lacks(uart == NULL ? "no serial port"
                                  : "the serial port has memory-mapped registers");
    }
    const uint16_t port = uart_scratch_port(uart);

    return (struct place){.low = port_read8(port), .high = port, .manner = SCRATCH};
}

static struct place pm_timer(void)
{
    const struct acpi_address *timer = pm_timer_place();

    if (timer->address == 0 || !timer->io) {
        return lacks(timer->address == 0 ? "no PM timer in the FADT"
                                         : "the PM timer is memory-mapped");
    }
    return at(0, 0, timer->address);
}

static struct place hypercall(bool amd, int (*try)(uint32_t number))
{
    if (amd != cpu_is_amd(&identity)) {
        return lacks("only processors of the other vendor have this instruction");
    }
    return try(NO_HYPERCALL) == 0 ? at(0, NO_HYPERCALL, 0)
                                  : lacks("no hypervisor accepts it: it raises #UD");
}

void exits_find(void *page)
{
    cpu_identify(cpuid_instruction, &identity);
    page_given = (uint64_t)(uintptr_t)page;
#define EXIT_OPERATION(name, label, meaning, bare, amd, intel, amd_path, intel_path, instructions, \
                       because, loop, code, find)                                                  \
    places[EXIT_##name] = find;
#include "bench/system/exit_operations.def"
    commands = 0;
    disobeyed = false;
    extra = 0;
}

uint64_t exits_extra(void)
{
    return extra;
}

/* ---- running an operation ---- */

const char *exits_absent(enum exit_operation operation)
{
    return places[operation].why;
}

static void count_delivery(void *argument)
{
    (void)argument;
    exit_undelivered = exit_undelivered - 1;
}

static uint64_t repeat_delivered(enum exit_operation operation, uint64_t count)
{
    const struct place *place = &places[operation];

    if (place->manner == TIMES) {
        lapic_timer_await_deadline(EXITS_VECTOR);
    }
    exit_undelivered = count;
    interrupt_attach(EXITS_VECTOR, "repeated", count_delivery, NULL);
    const uint64_t ticks = kernels[operation](count, place->operand, place->low, place->high);

    interrupt_detach(EXITS_VECTOR);
    const int64_t missing = (int64_t)exit_undelivered;

    disobeyed = disobeyed || missing > 0;
    extra += missing < 0 ? (uint64_t)-missing : 0;
    return ticks;
}

uint64_t exits_repeat(enum exit_operation operation, uint64_t count)
{
    struct place *place = &places[operation];

    if (place->manner == DEADLINE) {
        const uint64_t deadline = tsc_read() + clock_ticks_from_us(DEADLINE_US);

        lapic_timer_mask_deadline();
        place->low = (uint32_t)deadline;
        place->high = deadline >> 32;
    }
    if (place->manner == DELIVERS || place->manner == TIMES) {
        return repeat_delivered(operation, count);
    }
    commands += place->manner == COMMANDS ? count : 0;
    return kernels[operation](count, place->operand, place->low, place->high);
}

static void take(void *argument)
{
    (void)argument;
    arrived++;
}

/* However often the vector was sent, it is pending once. Returns true if as many interrupts
 * arrived. */
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
    bool good = !disobeyed;

    disobeyed = false;
    if (place->manner == DEADLINE || place->manner == TIMES) {
        msr_write(MSR_TSC_DEADLINE, 0);
        lapic_timer_stop();
    }
    if (place->manner == SCRATCH) {
        good = port_read8((uint16_t)place->high) == place->low;
    }
    if (commands > 0) {
        good = let_in();
        commands = 0;
    }
    return good;
}
