/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions timed from inside: a vector whose handler does nothing but read the TSC among its
 * first instructions and among its last, and goes on where the code that raised it chooses.
 *
 * Before the first reading are two PUSH; behind the last are two stores, two POP, where the
 * processor pushed an error code an ADD that drops it, and IRETQ; and whatever the processor needs
 * to deliver and to return. Exceptions (vectors below 32) run on the exception stack by IST, all
 * others on the stack in use (descriptors.h).
 *
 * Interrupts have brackets instead (kernel/irq/bracket.h): they must be acknowledged.
 */
#pragma once

#include <stdint.h>

struct stamped {
    uint64_t entry; /* TSC: of the last that came */
    uint64_t exit;
    uint64_t count; /* since stamped_start() */
};
extern volatile struct stamped stamped __attribute__((visibility("hidden")));

/* From now on, `vector` is stamped. What raises it must have in R11 the address to go on at; all
 * other registers are kept. One vector at a time; with interrupts off, and with nothing between
 * this and stamped_stop() that might raise the vector unawares. */
void stamped_start(uint8_t vector);
/* Nothing where none is. */
void stamped_stop(void);
