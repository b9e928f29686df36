/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/thief.h"

#include "kernel/cpu/descriptors.h"
#include "kernel/irq/interrupt.h"

#define TRIES 9

/* These are also used by thief.S. */
extern uint64_t *thief_next, *thief_stop;
extern uint64_t thief_iterations;
extern volatile uint32_t *thief_end_register;
uint64_t *thief_next, *thief_stop;
uint64_t thief_iterations;
volatile uint32_t *thief_end_register;

void thief_entry(void) __attribute__((visibility("hidden")));
void thief_entry_x2apic(void) __attribute__((visibility("hidden")));
void thief_raise(uint64_t stamps[2]) __attribute__((visibility("hidden")));
void thief_raise_none(uint64_t stamps[2]) __attribute__((visibility("hidden")));

static uint64_t *first;

void thief_begin(uint64_t iterations, uint64_t *stamps, size_t capacity)
{
    first = stamps;
    thief_next = stamps;
    thief_stop = stamps + capacity;
    thief_iterations = iterations;
    thief_end_register = (volatile uint32_t *)lapic_place(LAPIC_PLACE_END_OF_INTERRUPT);
    descriptors_set_entry(THIEF_VECTOR, lapic_state()->x2apic ? thief_entry_x2apic : thief_entry);
}

size_t thief_end(void)
{
    const size_t count = (size_t)(thief_next - first);

    descriptors_reset_entry(THIEF_VECTOR);
    for (size_t i = 0; i < count; i++) {
        interrupt_count_expected(THIEF_VECTOR);
    }
    return count;
}

struct thief_length thief_measure(uint64_t iterations)
{
    struct thief_length length = {UINT64_MAX, UINT64_MAX};
    uint64_t none = UINT64_MAX;

    for (int i = 0; i < TRIES; i++) {
        uint64_t at;
        uint64_t stamps[2];

        thief_raise_none(stamps);
        none = stamps[1] - stamps[0] < none ? stamps[1] - stamps[0] : none;
        thief_begin(iterations, &at, 1);
        thief_raise(stamps);
        descriptors_reset_entry(THIEF_VECTOR);
        if (stamps[1] - stamps[0] < length.whole) {
            length.whole = stamps[1] - stamps[0];
            length.behind = stamps[1] - at;
        }
    }
    length.whole = length.whole > none ? length.whole - none : 0;
    return length;
}
