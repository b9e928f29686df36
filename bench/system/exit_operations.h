/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that a hypervisor may trap, each repeated in a loop (exit_operations.def). An
 * operation that this machine lacks is absent, with a reason. Call all of this on the processor
 * that runs the bench, with interrupts off.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum exit_operation {
    EXIT_loop, /* only DEC and JNZ */
#define EXIT_OPERATION(name, ...) EXIT_##name,
#include "bench/system/exit_operations.def"
    EXIT_OPERATIONS,
};

/* Call before the functions below. Finds out which operations this machine has. `page` is the
 * operand of INVLPG, so its TLB entry is lost. */
void exits_find(void *page);
/* Returns NULL if the operation is available, otherwise the reason. */
const char *exits_absent(enum exit_operation operation);
/* Does the operation `count` times (at least 1). Returns TSC ticks from before the first to after
 * the last, with LFENCE; RDTSC; LFENCE at both ends. Call only for an available operation. */
uint64_t exits_repeat(enum exit_operation operation, uint64_t count);
/* Undoes what the operation set up and takes the interrupt that it left pending. Returns false if
 * the machine did not obey: all commands to this processor together must have raised EXITS_VECTOR
 * once (of an operation that lets interrupts in: at least once for each repetition), and the UART's
 * scratch register must hold its old value. */
bool exits_settle(enum exit_operation operation);
/* Returns how many interrupts arrived beyond those that operations let in: a machine that delivers
 * an interrupt twice. */
uint64_t exits_extra(void);

#define EXITS_VECTOR 0x4a

/* Return the ticks between two stamps, with nothing or with a store of a byte between them. */
uint64_t exits_stamps(void) __attribute__((visibility("hidden")));
uint64_t exits_touch(void *byte) __attribute__((visibility("hidden")));
