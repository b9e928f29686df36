/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/injector.h"

#include "kernel/cpu/descriptors.h"
#include "kernel/irq/interrupt.h"

#define TRIES 9

/* These are also used by injector.S. */
extern uint64_t *injector_next, *injector_stop;
extern uint64_t injector_iterations;
extern volatile uint32_t *injector_end_register;
uint64_t *injector_next, *injector_stop;
uint64_t injector_iterations;
volatile uint32_t *injector_end_register;

void injector_entry(void) __attribute__((visibility("hidden")));
void injector_entry_x2apic(void) __attribute__((visibility("hidden")));
void injector_raise(uint64_t stamps[2]) __attribute__((visibility("hidden")));
void injector_raise_none(uint64_t stamps[2]) __attribute__((visibility("hidden")));

static uint64_t *first;

void injector_begin(uint64_t iterations, uint64_t *stamps, size_t capacity)
{
    first = stamps;
    injector_next = stamps;
    injector_stop = stamps + capacity;
    injector_iterations = iterations;
    injector_end_register = (volatile uint32_t *)lapic_place(LAPIC_PLACE_END_OF_INTERRUPT);
    descriptors_set_entry(INJECTOR_VECTOR,
                          lapic_state()->x2apic ? injector_entry_x2apic : injector_entry);
}

size_t injector_end(void)
{
    const size_t count = (size_t)(injector_next - first);

    descriptors_reset_entry(INJECTOR_VECTOR);
    for (size_t i = 0; i < count; i++) {
        interrupt_count_expected(INJECTOR_VECTOR);
    }
    return count;
}

struct injector_length injector_measure(uint64_t iterations)
{
    struct injector_length length = {UINT64_MAX, UINT64_MAX};
    uint64_t none = UINT64_MAX;

    for (int i = 0; i < TRIES; i++) {
        uint64_t at;
        uint64_t stamps[2];

        injector_raise_none(stamps);
        none = stamps[1] - stamps[0] < none ? stamps[1] - stamps[0] : none;
        injector_begin(iterations, &at, 1);
        injector_raise(stamps);
        descriptors_reset_entry(INJECTOR_VECTOR);
        if (stamps[1] - stamps[0] < length.whole) {
            length.whole = stamps[1] - stamps[0];
            length.behind = stamps[1] - at;
        }
    }
    length.whole = length.whole > none ? length.whole - none : 0;
    return length;
}
