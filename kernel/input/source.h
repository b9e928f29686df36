/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Synthetic input: sends the bytes of a script's events, each when it is due and the byte before it
 * has been taken. The functions whose names begin with source_ are for input.c.
 *
 * At most one byte is outstanding. In some controllers a second one would overwrite the first, and
 * in one emulator (Bochs) it would stop the machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/dev/i8042.h"
#include "kernel/input/script.h"

/* Times of the events of a script. Each array has one row per event. */
struct input_made {
    int64_t *intended; /* TSC of the event's time in the script */
    int64_t *written;  /* TSC right before its last byte was written; 0: it was not written */
};

/* Starts a script at `begin` (TSC). `events` and the rows of `made` must stay valid until it is
 * over. Returns false if another script is running, or if an event cannot be sent, such as one of
 * the mouse if its port has no loop-back. */
bool input_play(const struct script_event *events, size_t count, uint64_t begin,
                const struct input_made *made);
/* Returns the number of events that have been written completely. */
size_t input_played(void);
/* Returns true if the controller takes no more bytes. */
bool input_stuck(void);

/* A byte that is not taken for this long never will be. */
#define SOURCE_STUCK_US 500000

/* Prepares the source, at the start of a session. `over` is called, in any context, when a script
 * is over or has to be given up. Packets of the mouse have `mouse_length` bytes. */
void source_begin(void (*over)(void), uint8_t mouse_length);
/* Stops the script. Call within the session. */
void source_end(void);

/* Notes that the handler has read a byte. Call with interrupts on. */
void source_taken(enum i8042_port port, uint8_t byte);
/* Sends the next byte if it is due. Call from the DPC, when all bytes that were read have been
 * decoded. If the handler sent the next byte, a script without pauses would leave no time for the
 * DPC. */
void source_next(void);

/* Returns true if no script is running and no byte is outstanding. */
bool source_idle(void);

/* Sends one byte outside a script. Returns false if the byte before it is not taken, or if a script
 * is running. */
bool source_send(enum i8042_port port, uint8_t byte);
