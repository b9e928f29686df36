/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/interrupt.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/exception.h"
#include "kernel/irq/ioapic.h"
#include "kernel/irq/lapic.h"
#include "kernel/irq/pic.h"
#include "kernel/trace/object.h"
#include "kernel/trace/trace.h"

#define FLAG_INTERRUPTS (1ull << 9)

/* Exactly 32 bytes: a shift finds an element, and one address has all that an interrupt needs. */
static struct vector {
    interrupt_handler *handler; /* handler of the vector; NULL: none is attached */
    void *argument;
    const char *name; /* name of the last handler; stays after it is detached */
    uint64_t expected;
} vectors[VECTOR_COUNT];

static uint64_t unexpected[VECTOR_COUNT];

static PER_CPU uint8_t current PER_CPU_SECTION; /* vector whose handler is running; 0: none */
static struct interrupt_frame *PER_CPU outermost PER_CPU_SECTION;
static void (*return_hook)(void);
/* interrupt_let_one_in() is running: after one interrupt, no more are let in */
static bool one_by_one;

/* Returns whether a vector must be acknowledged. A spurious interrupt of either controller has no
 * in-service bit and must not be (SDM volume 3 section 11.9; 8259A data sheet). */
static int wants_end_of_interrupt(uint64_t vector)
{
    return vector != LAPIC_VECTOR_SPURIOUS &&
           (vector < PIC_VECTOR_BASE || vector >= PIC_VECTOR_BASE + 16);
}

/* Returns whether a handler was ever attached to the vector: then a late interrupt is expected. */
static bool is_ours(uint8_t vector)
{
    return vector == LAPIC_VECTOR_TIMER || vectors[vector].name != NULL;
}

static void take_unexpected(struct interrupt_frame *frame)
{
    const uint8_t vector = (uint8_t)frame->vector;

    if (one_by_one) {
        frame->rflags &= ~FLAG_INTERRUPTS;
        (*(is_ours(vector) ? &vectors[vector].expected : &unexpected[vector]))++;
    } else {
        unexpected[vector]++;
        storm_count(vector);
    }
    if (wants_end_of_interrupt(vector) && lapic_state()->present) {
        lapic_end_of_interrupt();
    }
}

#if TARE_SMP
static void dispatch(struct interrupt_frame *frame);

void interrupt_dispatch(struct interrupt_frame *frame)
{
    const bool enters = sections_shared && frame->vector >= EXCEPTION_COUNT;

    if (enters) {
        section_enter();
    }
    dispatch(frame);
    if (enters) {
        section_leave();
    }
}

static void dispatch(struct interrupt_frame *frame)
#else
void interrupt_dispatch(struct interrupt_frame *frame)
#endif
{
    const uint64_t vector = frame->vector;
    const uint8_t interrupted = current;

    if (vector < EXCEPTION_COUNT) {
        exception_handle(frame);
        return;
    }
    struct vector *taken = &vectors[vector];

    if (taken->handler == NULL) {
        take_unexpected(frame);
        return;
    }
    if (trace_running) {
        trace_isr_entry((uint8_t)vector);
    }
    if (interrupted == 0) {
        outermost = frame;
    }
    current = (uint8_t)vector;
    taken->expected++;
    interrupts_enable();
    taken->handler(taken->argument);
    interrupts_disable();
    lapic_end_of_interrupt();
    current = interrupted;
    trace_isr_exit((uint8_t)vector);
    if (interrupted == 0 && return_hook != NULL) {
        return_hook();
    }
}

void interrupt_attach(uint8_t vector, const char *name, interrupt_handler *handler, void *argument)
{
    const struct trace_object object = {.kind = OBJECT_VECTOR, .id = vector, .name = name};

    trace_object_set(&object);
    vectors[vector].name = name;
    vectors[vector].argument = argument;
    vectors[vector].handler = handler;
}

void interrupt_detach(uint8_t vector)
{
    vectors[vector].handler = NULL;
}

void interrupt_raise(uint8_t vector)
{
    lapic_send_self(vector);
}

uint8_t interrupt_current(void)
{
    return current;
}

struct interrupt_frame *interrupt_outermost_frame(void)
{
    return current != 0 ? outermost : NULL;
}

void interrupt_set_return_hook(void (*hook)(void))
{
    return_hook = hook;
}

#if TARE_SMP
static uint32_t devices = INTERRUPT_ANYWHERE;
static bool has_devices;

void interrupts_share(void)
{
    for (unsigned vector = EXCEPTION_COUNT; vector < FIRST_UNSHARED_VECTOR; vector++) {
        const uintptr_t entry = (uintptr_t)(interrupt_entries + INTERRUPT_ENTRY_SIZE * vector);

        descriptors_set_other_entry((uint8_t)vector, (void (*)(void))entry);
    }
}

void interrupts_unshare(void (*acknowledge)(void))
{
    for (unsigned vector = EXCEPTION_COUNT; vector < FIRST_UNSHARED_VECTOR; vector++) {
        descriptors_set_other_entry((uint8_t)vector, acknowledge);
    }
}

void interrupt_set_devices(uint32_t lapic)
{
    devices = lapic;
}

uint32_t interrupt_device_lapic(void)
{
    has_devices = true;
    return devices != INTERRUPT_ANYWHERE ? devices : lapic_id();
}

bool interrupt_has_devices(void)
{
    return has_devices;
}

void interrupt_forget_running(void)
{
    current = 0;
    outermost = NULL;
}
#endif

void interrupt_reset(void)
{
    for (unsigned vector = 0; vector < VECTOR_COUNT; vector++) {
        vectors[vector].handler = NULL;
    }
    current = 0;
    return_hook = NULL;
#if TARE_SMP
    has_devices = false;
    devices = INTERRUPT_ANYWHERE;
#endif
}

void interrupt_let_one_in(void)
{
    one_by_one = true;
    __asm__ volatile("sti; nop; nop; cli" : : : "memory");
    one_by_one = false;
}

void interrupt_forget_counts(void)
{
    for (unsigned vector = 0; vector < VECTOR_COUNT; vector++) {
        vectors[vector].expected = 0;
    }
    memset(unexpected, 0, sizeof(unexpected));
}

void interrupt_count_expected(uint64_t vector)
{
    vectors[vector].expected++;
}

const char *interrupt_name(uint8_t vector)
{
    return vectors[vector].name;
}

uint64_t interrupt_expected(uint8_t vector)
{
    return vectors[vector].expected;
}

uint64_t interrupt_unexpected(uint8_t vector)
{
    return unexpected[vector];
}

/* ---- storms ---- */

static const struct acpi_facts *tables; /* the ACPI tables; NULL: storms are not masked */
static struct storm storms[VECTOR_COUNT];

void storm_use(const struct acpi_facts *acpi)
{
    tables = acpi;
}

void storm_begin(void)
{
    memset(storms, 0, sizeof(storms));
}

void storm_count(uint8_t vector)
{
    struct storm *storm = &storms[vector];

    if (++storm->count != STORM_MIN || tables == NULL) {
        return;
    }
    if (ioapic_mask_vector(tables, vector, &storm->gsi)) {
        storm->source = STORM_IOAPIC;
    } else if (lapic_state()->present && lapic_mask_vector(vector)) {
        storm->source = STORM_LAPIC;
    }
}

const struct storm *storm_of(uint8_t vector)
{
    return storms[vector].count >= STORM_MIN ? &storms[vector] : NULL;
}
