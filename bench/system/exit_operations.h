/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that a hypervisor may trap, each in a loop of repetitions: operations.def. What a
 * machine lacks is absent with the reason. On the kernel's processor, interrupts off.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum exit_operation {
    EXIT_loop, /* nothing but DEC and JNZ */
#define EXIT_OPERATION(name, ...) EXIT_##name,
#include "bench/system/exit_operations.def"
    EXIT_OPERATIONS,
};

/* Finds out what this machine has; `page` is memory whose translation is thrown away. Before the
 * calls below. */
void exits_find(void *page);
/* NULL: it can be done; else why not. */
const char *exits_absent(enum exit_operation operation);
/* Does it `count` times (at least 1): ticks of the TSC from before the first to behind the last,
 * LFENCE; RDTSC; LFENCE at both ends. Only of what is not absent. */
uint64_t exits_repeat(enum exit_operation operation, uint64_t count);
/* Takes back what was set up for it, and lets in the interrupt that it left pending. False: the
 * machine did not do as it was bid: `count` commands to this processor must have raised
 * EXITS_VECTOR once, and the scratch register must hold what it held. */
bool exits_settle(enum exit_operation operation);

#define EXITS_VECTOR 0x4a

/* Ticks between two stamps: with nothing between, and with a store of a byte. */
uint64_t exits_stamps(void) __attribute__((visibility("hidden")));
uint64_t exits_touch(void *byte) __attribute__((visibility("hidden")));
