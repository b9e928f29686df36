/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts by vector: handlers, how many interrupts came, and how many of these were unexpected.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/interrupt_frame.h"
#include "kernel/dev/acpi.h"

typedef void interrupt_handler(void *argument);

/* From now on `handler` handles a vector (32 or above). It runs with interrupts on, so that vectors
 * of a higher class (vector / 16, SDM volume 3 section 11.8.3) nest, and is traced as isr_entry and
 * isr_exit. `name` is an object of the trace and must exist until the end of the run. */
void interrupt_attach(uint8_t vector, const char *name, interrupt_handler *handler, void *argument);
void interrupt_detach(uint8_t vector);

/* Raises a vector on this processor by its own LAPIC: it arrives as if from a device. */
void interrupt_raise(uint8_t vector);

/* Returns the vector whose handler is running, or 0 if there is none. */
uint8_t interrupt_current(void);

/* Returns the context that the outermost running handler interrupted, or NULL if none runs. */
struct interrupt_frame *interrupt_outermost_frame(void);

/* Sets a function that is called, interrupts off, whenever the outermost handler has returned,
 * before the interrupted code continues. NULL: none. */
void interrupt_set_return_hook(void (*hook)(void));

#if TARE_SMP
/* Lets processors other than the kernel's take all vectors by the same handlers, from now on,
 * except those from FIRST_UNSHARED_VECTOR on (kernel/smp/). */
#define FIRST_UNSHARED_VECTOR 0xe0
void interrupts_share(void);
/* From now on, other processors only acknowledge these vectors, by an entry stub of this kind. */
void interrupts_unshare(void (*acknowledge)(void));
/* The processor to which devices interrupt that are opened from now on: its LAPIC id, or
 * INTERRUPT_ANYWHERE for the one that opens them. */
#define INTERRUPT_ANYWHERE UINT32_MAX
void interrupt_set_devices(uint32_t lapic);
/* Forgets which handlers run on this processor. */
void interrupt_forget_running(void);
#endif

/* Returns the LAPIC id of the processor to which a device is to interrupt. */
#if TARE_SMP
uint32_t interrupt_device_lapic(void);
/* Returns whether that was called since interrupt_reset(). */
bool interrupt_has_devices(void);
#else
#define interrupt_device_lapic() lapic_id()
#endif

/* Detaches all handlers, and forgets which are running, because they were left by a jump. */
void interrupt_reset(void);

/* Takes one pending interrupt, if there is any, so that it does not arrive later. Call with
 * interrupts off and no handlers attached. The interrupt does not count as part of a storm. */
void interrupt_let_one_in(void);

/* The common entries of all vectors (interrupt.S), for descriptors_load(). */
extern const uint8_t interrupt_entries[] __attribute__((visibility("hidden")));

/* Called by the common entries. Exceptions go to exception_handle(), and attached vectors to their
 * handlers. Any other interrupt is counted as unexpected (storm_count()) and acknowledged, so that
 * the machine goes on. */
void interrupt_dispatch(struct interrupt_frame *frame);

/* Sets the counts of all vectors to 0. */
void interrupt_forget_counts(void);

/* Counts an interrupt that a handler took. `vector` has 64 bits, so that handlers whose time is
 * measured need no conversion. */
void interrupt_count_expected(uint64_t vector);

/* Returns the name that was last attached to a vector, or NULL if none ever was. */
const char *interrupt_name(uint8_t vector);
uint64_t interrupt_expected(uint8_t vector);
uint64_t interrupt_unexpected(uint8_t vector);

/*
 * Interrupt storms: interrupts without a handler that come again and again. A level-triggered line
 * that no driver serves interrupts again after each IRET, and no other code would ever run. A
 * vector that has come STORM_MIN times since storm_begin() is masked at its source, if that can be
 * found: inputs of the I/O APICs in the ACPI tables, and the LAPIC's own sources. It cannot be
 * found if the device sends MSIs, or if the I/O APIC is not in the tables. Inputs of the 8259 are
 * not sources: they stay masked, and an interrupt that is not acknowledged comes only once.
 */

/* Number of interrupts from which they count as a storm. Those that firmware left behind, or a line
 * with a glitch, come a few times. An unserved line exceeds this within some milliseconds, and a
 * forgotten timer of 1 kHz within a second. By then even the shortest bench has lost only about
 * 1000 microseconds. */
#define STORM_MIN 1000

enum storm_source {
    STORM_UNMASKED, /* the storm was not masked and may continue */
    STORM_IOAPIC,
    STORM_LAPIC,
};

struct storm {
    uint32_t count; /* number of interrupts so far */
    enum storm_source source;
    uint32_t gsi; /* for STORM_IOAPIC: the GSI of the input */
};

/* Call once. Keeps the pointer `acpi`. Until then nothing is masked. */
void storm_use(const struct acpi_facts *acpi);

/* Starts counting storms from 0 again. */
void storm_begin(void);

/* Called for an unattached vector, in its handler, before it is acknowledged. */
void storm_count(uint8_t vector);

/* Returns the storm of a vector, or NULL if it came less often than STORM_MIN. */
const struct storm *storm_of(uint8_t vector);
