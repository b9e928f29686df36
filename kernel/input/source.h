/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Synthetic input: sends the bytes of a script's events, each when its time has come and the one
 * before it has been taken. What input.c does not show of itself.
 *
 * One byte is under way at most: a second one would overwrite the first in some controllers, and is
 * the end of the machine in an emulator (Bochs).
 */
#pragma once

#include "kernel/input/input.h"

/* A byte that nobody has taken for so long never will be. */
#define SOURCE_STUCK_US 500000

/* At the beginning of a session; `over` is called, in whatever context, when a script is over or
 * has to be given up. */
void source_begin(void (*over)(void));
/* Within the session. */
void source_end(void);

/* The handler has read a byte. Interrupts on. */
void source_taken(enum i8042_port port, uint8_t byte);
/* All bytes that were read have become events. From the DPC: were the next byte sent by the
 * handler, a script that is all at once would leave no time for the DPC. */
void source_next(void);

/* All has been written and taken, or nothing was to be. */
bool source_idle(void);

/* One byte of no script; false where the one before is not taken, or a script plays. */
bool source_send(enum i8042_port port, uint8_t byte);
