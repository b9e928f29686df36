/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions timed from inside: the handler of a vector only reads the TSC among its first and
 * again among its last instructions, and continues at an address that the code that raised the
 * exception chose.
 *
 * Not included in the measured time: before the first reading, two PUSH; after the last reading,
 * two stores, two POP, an ADD that drops the error code if the processor pushed one, and IRETQ; and
 * whatever the processor needs to deliver the exception and to return. Exceptions (vectors below
 * 32) run on the exception stack by IST, all other vectors on the current stack (descriptors.h).
 *
 * Interrupts are timed differently (kernel/irq/timed_section.h), because they must be acknowledged.
 */
#pragma once

#include <stdint.h>

struct stamped {
    uint64_t entry; /* TSC at the start of the last exception's handler */
    uint64_t exit;
    uint64_t count; /* number of exceptions since stamped_start() */
};
extern volatile struct stamped stamped __attribute__((visibility("hidden")));

/* Starts timing `vector`. Code that raises it must have the address at which to continue in R11;
 * all other registers are preserved. Only one vector at a time. Call with interrupts off; nothing
 * until stamped_stop() may raise the vector unintentionally. */
void stamped_start(uint8_t vector);
/* Stops timing; does nothing if none was started. */
void stamped_stop(void);
