/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts by vector: who handles them, how many came, how many were not expected.
 */
#pragma once

#include <stdint.h>

#include "kernel/cpu/interrupt_frame.h"
#include "kernel/dev/acpi.h"

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
 * their handlers, anything else is counted as unexpected (storm_count()), and acknowledged so that
 * the machine goes on. */
void interrupt_dispatch(struct interrupt_frame *frame);

/* All counts are 0 again. */
void interrupt_forget_counts(void);

/* Counts one that a handler of ours took. Of 64 bits: measured brackets need no conversion. */
void interrupt_count_expected(uint64_t vector);

/* Of the last that attached it; NULL: none ever did. */
const char *interrupt_name(uint8_t vector);
uint64_t interrupt_expected(uint8_t vector);
uint64_t interrupt_unexpected(uint8_t vector);

/*
 * Interrupts without a handler that come without end: a level-triggered line that no driver
 * serves comes again with each IRET, and nothing else would run any more. A vector that has come
 * STORM_MIN times since storm_begin() is masked at its source, where that can be found: inputs of
 * the I/O APICs that tables list, and the LAPIC's own sources. It cannot where a device wrote the
 * message itself (MSI), or the I/O APIC is not listed. Inputs of the 8259 are no source: they stay
 * masked, and an interrupt without acknowledgement comes once.
 */

/* What firmware left behind, or a line with a glitch, comes a few times; an unserved line passes
 * this within some milliseconds, and a forgotten timer of 1 kHz within a second. By then a bench of
 * the shortest kind has lost some 1000 microseconds. */
#define STORM_MIN 1000

enum storm_source {
    STORM_UNMASKED, /* it may go on */
    STORM_IOAPIC,
    STORM_LAPIC,
};

struct storm {
    uint32_t count; /* so far */
    enum storm_source source;
    uint32_t gsi; /* STORM_IOAPIC: the input */
};

/* Once; `acpi` must stay. Before, nothing is masked. */
void storm_use(const struct acpi_facts *acpi);

/* Counts from 0 again. */
void storm_begin(void);

/* Of an unattached vector: by its handler, before it is acknowledged. */
void storm_count(uint8_t vector);

/* NULL: it came less often. */
const struct storm *storm_of(uint8_t vector);
