/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/lapic.h"

#include <stddef.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/msr.h"
#include "kernel/mem/paging.h"

enum lapic_register {
    ID = 0x020,
    VERSION = 0x030,
    TASK_PRIORITY = 0x080,
    PROCESSOR_PRIORITY = 0x0a0,
    END_OF_INTERRUPT = 0x0b0,
    SPURIOUS = 0x0f0,
    IN_SERVICE = 0x100, /* eight registers of interrupts in service, 10h apart */
    REQUESTED = 0x200,  /* eight registers of requested interrupts, 10h apart */
    ERROR_STATUS = 0x280,
    LVT_CMCI = 0x2f0,
    COMMAND_LOW = 0x300,
    COMMAND_HIGH = 0x310,
    LVT_TIMER = 0x320,
    LVT_THERMAL = 0x330,
    LVT_COUNTER = 0x340,
    LVT_LINT0 = 0x350,
    LVT_LINT1 = 0x360,
    LVT_ERROR = 0x370,
    TIMER_INITIAL = 0x380,
    TIMER_CURRENT = 0x390,
    TIMER_DIVIDE = 0x3e0,
};

#define BASE_ENABLED    (1ull << 11)
#define BASE_X2APIC     (1ull << 10)
#define BASE_ADDRESS    0x000ffffffffff000ull
#define DEFAULT_ADDRESS 0xfee00000ull
#define REGISTER_BYTES  0x400u
#define LVT_MASKED      (1u << 16)
#define LVT_VECTOR      0xffu
/* Delivery mode; 0: the vector is raised; always 0 in the timer's register. */
#define LVT_DELIVERY (7u << 8)
#define LVT_PERIODIC (1u << 17)
#define LVT_MODE     (3u << 17)
#define LVT_DEADLINE (2u << 17)
/* below 1 ms, but long enough not to pass before the register is written */
#define DEADLINE_TICKS      1000000
#define SOFTWARE_ENABLE     (1u << 8)
#define DIVIDE_BY_1         0xbu
#define COMMAND_ASSERT      (1u << 14)
#define COMMAND_NMI         (4u << 8)
#define COMMAND_INIT        (5u << 8)
#define COMMAND_START_UP    (6u << 8)
#define COMMAND_PENDING     (1u << 12)
#define COMMAND_TRIES       100000
#define MSR_X2APIC_SELF_IPI 0x83fu
#define VECTOR_REGISTERS    8 /* number of registers that have one bit for each vector */

static struct lapic lapic;

static uint32_t lapic_read(enum lapic_register index)
{
    if (lapic.x2apic) {
        uint64_t value;

        msr_read(MSR_X2APIC_FIRST + index / 16, &value);
        return (uint32_t)value;
    }
    return *(volatile uint32_t *)(uintptr_t)(lapic.address + index);
}

static void lapic_write(enum lapic_register index, uint32_t value)
{
    if (lapic.x2apic) {
        msr_write(MSR_X2APIC_FIRST + index / 16, value);
        return;
    }
    *(volatile uint32_t *)(uintptr_t)(lapic.address + index) = value;
}

/* The local sources, in the order in which the version register counts them. */
static const enum lapic_register sources[LAPIC_SOURCES] = {
    LVT_TIMER, LVT_LINT0, LVT_LINT1, LVT_ERROR, LVT_COUNTER, LVT_THERMAL, LVT_CMCI};

static uint32_t source_count(void)
{
    const uint32_t count = (lapic_read(VERSION) >> 16 & 255) + 1;

    return count < LAPIC_SOURCES ? count : LAPIC_SOURCES;
}

static void mask_local_sources(void)
{
    const uint32_t count = source_count();

    for (uint32_t i = 0; i < count; i++) {
        lapic_write(sources[i], LVT_MASKED);
    }
}

void lapic_hold(struct lapic_registers *registers)
{
    registers->task_priority = lapic_read(TASK_PRIORITY);
    registers->spurious = lapic_read(SPURIOUS);
    registers->divide = lapic_read(TIMER_DIVIDE);
    registers->initial = lapic_read(TIMER_INITIAL);
    registers->sources = source_count();
    for (uint32_t i = 0; i < registers->sources; i++) {
        registers->source[i] = lapic_read(sources[i]);
    }
    mask_local_sources();
}

/* The last source restored is the timer, so that its count starts when everything else is restored.
 * A deadline that was set has passed (SDM volume 3 section 11.5.4.1), so a new one is set. */
void lapic_release(const struct lapic_registers *registers)
{
    lapic_write(TIMER_INITIAL, 0);
    /* This register comes first: without its enable bit, sources stay off. */
    lapic_write(SPURIOUS, registers->spurious);
    lapic_write(TASK_PRIORITY, registers->task_priority);
    for (uint32_t i = registers->sources; i-- > 0;) {
        lapic_write(sources[i], registers->source[i]);
    }
    lapic_write(TIMER_DIVIDE, registers->divide);
    if ((registers->source[0] & LVT_MODE) == LVT_DEADLINE) {
        __asm__ volatile("mfence" : : : "memory");
        msr_write(MSR_TSC_DEADLINE, tsc_read() + DEADLINE_TICKS);
    } else if (registers->initial != 0) {
        lapic_write(TIMER_INITIAL, registers->initial);
    }
}

static void set_up(void)
{
    mask_local_sources();
    lapic_write(TASK_PRIORITY, 0);
    lapic_write(SPURIOUS, SOFTWARE_ENABLE | LAPIC_VECTOR_SPURIOUS);
    lapic_write(TIMER_DIVIDE, DIVIDE_BY_1);
    lapic_write(END_OF_INTERRUPT, 0);
}

bool lapic_find(const struct acpi_facts *acpi)
{
    uint64_t base = 0;

    lapic = (struct lapic){.address = acpi->lapic_address};
    if (msr_read(MSR_APIC_BASE, &base) == 0 && base != 0) {
        if ((base & BASE_ENABLED) == 0) {
            return false;
        }
        lapic.x2apic = (base & BASE_X2APIC) != 0;
        lapic.address = base & BASE_ADDRESS;
    }
    if (lapic.address == 0) {
        lapic.address = DEFAULT_ADDRESS;
    }
    if (!lapic.x2apic && !(paging_map_device(lapic.address, REGISTER_BYTES) &&
                           paging_reaches(lapic.address, REGISTER_BYTES))) {
        return false;
    }
    const uint32_t version = lapic_read(VERSION) & 255;

    /* 10h to 15h are integrated APICs; FFh means that no device answers. */
    lapic.present = version >= 0x10 && version < 0xf0;
    return lapic.present;
}

bool lapic_init(const struct acpi_facts *acpi)
{
    if (!lapic_find(acpi)) {
        return false;
    }
    set_up();
    return true;
}

const char *lapic_join(void)
{
    uint64_t base = 0;

    if (msr_read(MSR_APIC_BASE, &base) == 0 && base != 0) {
        const uint64_t mode = lapic.x2apic
                                  ? base | BASE_X2APIC
                                  : (base & ~BASE_ADDRESS) | (lapic.address & BASE_ADDRESS);

        if ((base & BASE_ENABLED) == 0) {
            return "its LAPIC is switched off";
        }
        if (!lapic.x2apic && (base & BASE_X2APIC) != 0) {
            return "its LAPIC is in x2APIC mode, but that of the first processor is not";
        }
        if (mode != base && msr_write(MSR_APIC_BASE, mode) != 0) {
            return "its LAPIC rejects the mode of the first processor's LAPIC";
        }
    }
    set_up();
    return NULL;
}

bool lapic_enter_x2apic(void)
{
    uint64_t base = 0;

    if (!lapic.present || msr_read(MSR_APIC_BASE, &base) != 0 ||
        msr_write(MSR_APIC_BASE, base | BASE_X2APIC) != 0) {
        return false;
    }
    /* Read back, because some emulators accept the write and ignore it. */
    msr_read(MSR_APIC_BASE, &base);
    lapic.x2apic = (base & BASE_X2APIC) != 0;
    return lapic.x2apic;
}

const struct lapic *lapic_state(void)
{
    return &lapic;
}

uint32_t lapic_id(void)
{
    return lapic.x2apic ? lapic_read(ID) : lapic_read(ID) >> 24;
}

void lapic_end_of_interrupt(void)
{
    lapic_write(END_OF_INTERRUPT, 0);
}

/* Returns the bits of all eight registers of vectors, combined by OR. */
static uint32_t read_bits(enum lapic_register first)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < VECTOR_REGISTERS; i++) {
        bits |= lapic_read(first + 0x10 * i);
    }
    return bits;
}

bool lapic_is_requested(uint8_t vector)
{
    return (lapic_read(REQUESTED + 0x10 * (vector / 32u)) >> vector % 32 & 1) != 0;
}

bool lapic_is_in_service(uint8_t vector)
{
    return (lapic_read(IN_SERVICE + 0x10 * (vector / 32u)) >> vector % 32 & 1) != 0;
}

void lapic_set_task_priority(uint8_t priority)
{
    lapic_write(TASK_PRIORITY, priority);
}

uint8_t lapic_task_priority(void)
{
    return (uint8_t)lapic_read(TASK_PRIORITY);
}

uint8_t lapic_processor_priority(void)
{
    return (uint8_t)lapic_read(PROCESSOR_PRIORITY);
}

bool lapic_has_requests(void)
{
    return read_bits(REQUESTED) != 0;
}

unsigned lapic_count_requests(void)
{
    unsigned count = 0;

    for (unsigned i = 0; i < VECTOR_REGISTERS; i++) {
        for (uint32_t left = lapic_read(REQUESTED + 0x10 * i); left != 0; left &= left - 1) {
            count++;
        }
    }
    return count;
}

bool lapic_mask_vector(uint8_t vector)
{
    const uint32_t count = source_count();
    bool masked = false;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t source = lapic_read(sources[i]);

        if ((source & (LVT_MASKED | LVT_DELIVERY | LVT_VECTOR)) == vector) {
            lapic_write(sources[i], source | LVT_MASKED);
            masked = true;
        }
    }
    return masked;
}

void lapic_end_all(void)
{
    for (unsigned i = 0; i < VECTOR_REGISTERS * 32 && read_bits(IN_SERVICE) != 0; i++) {
        lapic_end_of_interrupt();
    }
}

void lapic_timer_start(uint8_t vector, enum lapic_timer_mode mode, uint32_t count)
{
    lapic_write(LVT_TIMER, vector | (mode == LAPIC_TIMER_PERIODIC ? LVT_PERIODIC : 0));
    lapic_write(TIMER_INITIAL, count);
}

void lapic_timer_rearm(uint32_t count)
{
    lapic_write(TIMER_INITIAL, count);
}

/* A separate function, so that the path of measured interrupts does not contain it. */
static __attribute__((noinline)) void await_command(void)
{
    for (int i = 0; i < COMMAND_TRIES && (lapic_read(COMMAND_LOW) & COMMAND_PENDING) != 0; i++) {
        cpu_pause();
    }
}

/* See SDM volume 3 section 11.6.1; for x2APIC mode section 11.12.11. */
void lapic_send_self(uint8_t vector)
{
    if (lapic.x2apic) {
        msr_write(MSR_X2APIC_SELF_IPI, vector);
        return;
    }
    await_command();
    lapic_write(COMMAND_LOW, LAPIC_TO_SELF | vector);
}

/* SDM volume 3 section 11.6.1; x2APIC sections 11.12.3 and 11.12.9. The write to the MSR may
 * overtake stores that the other processor must see, hence the fences. */
static inline __attribute__((always_inline)) void send_command(uint32_t apic_id, uint32_t command)
{
    if (lapic.x2apic) {
        __asm__ volatile("mfence; lfence" : : : "memory");
        msr_write(MSR_X2APIC_FIRST + COMMAND_LOW / 16, (uint64_t)apic_id << 32 | command);
        return;
    }
    await_command();
    lapic_write(COMMAND_HIGH, apic_id << 24);
    lapic_write(COMMAND_LOW, command);
}

void lapic_send(uint32_t apic_id, uint8_t vector)
{
    send_command(apic_id, COMMAND_ASSERT | vector);
}

void lapic_send_nmi(uint32_t apic_id)
{
    send_command(apic_id, COMMAND_ASSERT | COMMAND_NMI);
}

void lapic_send_init(uint32_t apic_id)
{
    send_command(apic_id, COMMAND_ASSERT | COMMAND_INIT);
}

void lapic_send_start_up(uint32_t apic_id, uint8_t page)
{
    send_command(apic_id, COMMAND_ASSERT | COMMAND_START_UP | page);
}

void lapic_timer_stop(void)
{
    lapic_write(LVT_TIMER, LVT_MASKED);
    lapic_write(TIMER_INITIAL, 0);
}

uint32_t lapic_timer_count(void)
{
    return lapic_read(TIMER_CURRENT);
}

void lapic_timer_free_run(void)
{
    lapic_write(LVT_TIMER, LVT_MASKED | LVT_PERIODIC);
    lapic_write(TIMER_INITIAL, UINT32_MAX);
}

void lapic_timer_await_deadline(uint8_t vector)
{
    lapic_write(LVT_TIMER, vector | LVT_DEADLINE);
    __asm__ volatile("mfence" : : : "memory");
}

void lapic_timer_mask_deadline(void)
{
    lapic_write(LVT_TIMER, LVT_MASKED | LVT_DEADLINE);
    __asm__ volatile("mfence" : : : "memory");
}

uint64_t lapic_place(enum lapic_place place)
{
    static const enum lapic_register registers[] = {VERSION, END_OF_INTERRUPT, COMMAND_LOW};
    const enum lapic_register at = registers[place];

    return lapic.x2apic ? MSR_X2APIC_FIRST + at / 16 : lapic.address + at;
}
