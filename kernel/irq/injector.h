/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An injector of interruptions: an interrupt that takes the processor for a known time and does
 * nothing else, to check detectors of gaps. Its handler is as short as possible, so that it can
 * also take less time than a detector notices: a timestamp, a counted spin, the acknowledgement.
 *
 * Its total length is measured from outside, by raising the same vector with INT between two
 * timestamps. In exact time the length is the number of its instructions, and delivery takes none.
 * On silicon INT takes slightly less or more than the delivery of an interrupt.
 *
 * Only one at a time, on the kernel's processor. Interrupts are off except where the injector may
 * interrupt.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/irq/lapic.h"

/* The timer's vector. Another processor may also send it: the handler is the same. */
#define INJECTOR_VECTOR LAPIC_VECTOR_TIMER

/* From now on each interrupt of INJECTOR_VECTOR spins for `iterations` (at least 1), and the TSC at
 * its fourth instruction goes to `stamps`, of at most `capacity`; further ones get no timestamp. */
void injector_begin(uint64_t iterations, uint64_t *stamps, size_t capacity);

/* Ends the injection. Returns how many interrupts got a timestamp. */
size_t injector_end(void);

/* The time that an interrupt with this many iterations takes, in ticks, and the part of it after
 * its timestamp: the minimum of several. Call between injector_end() and injector_begin(). */
struct injector_length {
    uint64_t whole;
    uint64_t behind;
};
struct injector_length injector_measure(uint64_t iterations);
