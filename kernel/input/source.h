/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Synthetic input: sends the bytes of a script's events, each when its time has come and the one
 * before it has been taken. The functions that begin with source_ are for input.c.
 *
 * One byte is under way at most: a second one would overwrite the first in some controllers, and is
 * the end of the machine in an emulator (Bochs).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/dev/i8042.h"
#include "kernel/input/script.h"

/* Of each event that is to be made: as many rows as there are events in the script. */
struct input_made {
    int64_t *intended; /* TSC of its moment by the script */
    int64_t *written;  /* TSC right before its last byte was written; 0: it was not */
};

/* Plays a script from `begin` (TSC) on; `events` and the rows of `made` must stay until it is over.
 * False where another one plays, or where an event has no way: a mouse's where the port has no
 * loop-back. */
bool input_play(const struct script_event *events, size_t count, uint64_t begin,
                const struct input_made *made);
/* Events that have been written whole. */
size_t input_played(void);
/* Does the controller take no byte any longer? */
bool input_stuck(void);

/* A byte not taken for so long never will be. */
#define SOURCE_STUCK_US 500000

/* At the beginning of a session; `over` is called, in whatever context, when a script is over or
 * has to be given up. Packets of the mouse have `mouse_length` bytes. */
void source_begin(void (*over)(void), uint8_t mouse_length);
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
