/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts by vector: who handles them, how many came, how many were not expected.
 */
#pragma once

#include <stdint.h>

#include "kernel/cpu/interrupt_frame.h"

typedef void interrupt_handler(void *argument);

/* From now on `handler` takes a vector (32 or above): with interrupts on, so that vectors of a
 * higher class (vector / 16, SDM volume 3 section 11.8.3) nest, and traced as isr_entry and
 * isr_exit. `name` is an object of the trace, and must live until the end of the run. */
void interrupt_attach(uint8_t vector, const char *name, interrupt_handler *handler, void *argument);
void interrupt_detach(uint8_t vector);

/* Raises a vector on this processor by its own LAPIC: it arrives as from any device. */
void interrupt_raise(uint8_t vector);

/* The vector whose handler runs; 0: none. */
uint8_t interrupt_current(void);

/* The interrupted context of the outermost handler that runs; NULL: none. */
struct interrupt_frame *interrupt_outermost_frame(void);

/* `hook` is called, interrupts off, whenever the outermost handler has returned, before the
 * interrupted code goes on. NULL: none. */
void interrupt_set_return_hook(void (*hook)(void));

/* Detaches all and forgets what handlers are running: they were left by a jump. */
void interrupt_reset(void);

/* With interrupts off, and nothing attached: takes one that is pending, if any, so that it reaches
 * no one later. None of them is a storm. */
void interrupt_let_one_in(void);

/* interrupt.S: the common entries of all vectors, for descriptors_load(). */
extern const uint8_t interrupt_entries[] __attribute__((visibility("hidden")));

/* Where they arrive: exceptions go to exception_handle(), attached vectors to
 * their handlers, anything else is counted as unexpected (storm.h), and acknowledged so that the
 * machine goes on. */
void interrupt_dispatch(struct interrupt_frame *frame);

/* All counts are 0 again. */
void interrupt_forget_counts(void);

/* Counts one that a handler of ours took. Of 64 bits: measured brackets need no conversion. */
void interrupt_count_expected(uint64_t vector);

/* Of the last that attached it; NULL: none ever did. */
const char *interrupt_name(uint8_t vector);
uint64_t interrupt_expected(uint8_t vector);
uint64_t interrupt_unexpected(uint8_t vector);
