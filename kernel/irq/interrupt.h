/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts by vector: who handles them, how many came, how many nobody expected.
 */
#pragma once

#include <stdint.h>

#include "kernel/cpu/interrupt_frame.h"

/* Where interrupt_entry.S arrives: exceptions go to exception_handle(), anything else is counted as
 * unexpected, and acknowledged so that the machine goes on. */
void interrupt_dispatch(struct interrupt_frame *frame);

/* Counts one that a handler of ours took. */
void interrupt_count_expected(uint8_t vector);

uint64_t interrupt_expected(uint8_t vector);
uint64_t interrupt_unexpected(uint8_t vector);
