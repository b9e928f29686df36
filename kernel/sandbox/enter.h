/* SPDX-License-Identifier: BSD-2-Clause */
/* enter.S: the way into the sandbox, and the ways out. */
#pragma once

#include <stdint.h>

#include "kernel/cpu/interrupt_frame.h"

/* Goes to ring 3 with all of this, and returns when a vector that has one of the entries below has
 * been raised there. Interrupts off, before and behind. */
void sandbox_enter(const struct interrupt_frame *start);

/* The registers then, and CR2. */
extern struct interrupt_frame sandbox_left __attribute__((visibility("hidden")));
extern uint64_t sandbox_cr2 __attribute__((visibility("hidden")));

/* Entries of vectors 0 to 31, and of the timer: what is raised in ring 0 goes the common way. */
#define SANDBOX_ENTRIES     33
#define SANDBOX_ENTRY_TIMER 32
extern void (*const sandbox_entries[SANDBOX_ENTRIES])(void) __attribute__((visibility("hidden")));
