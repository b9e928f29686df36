/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/interrupt.h"

#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/exception.h"
#include "kernel/irq/lapic.h"
#include "kernel/irq/pic.h"

static uint64_t expected[VECTOR_COUNT];
static uint64_t unexpected[VECTOR_COUNT];

/* A spurious interrupt of either controller has no in-service bit and must not be acknowledged
 * (SDM volume 3 section 11.9; 8259A data sheet). */
static int wants_end_of_interrupt(uint64_t vector)
{
    return vector != LAPIC_VECTOR_SPURIOUS &&
           (vector < PIC_VECTOR_BASE || vector >= PIC_VECTOR_BASE + 16);
}

void interrupt_dispatch(struct interrupt_frame *frame)
{
    if (frame->vector < EXCEPTION_COUNT) {
        exception_handle(frame);
        return;
    }
    unexpected[frame->vector % VECTOR_COUNT]++;
    if (wants_end_of_interrupt(frame->vector) && lapic_state()->present) {
        lapic_end_of_interrupt();
    }
}

void interrupt_count_expected(uint8_t vector)
{
    expected[vector]++;
}

uint64_t interrupt_expected(uint8_t vector)
{
    return expected[vector];
}

uint64_t interrupt_unexpected(uint8_t vector)
{
    return unexpected[vector];
}
