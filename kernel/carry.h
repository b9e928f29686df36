/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A log that cannot leave a machine of our own: no serial port, and firmware, which could write a
 * file, is gone. It is left in memory (mailbox.h), a warm reset brings firmware back, and the next
 * boot writes the file and powers off; it does not run again. Firmware boots by its own order then:
 * which medium that is, is the user's to see to, as no variable of firmware's is written.
 *
 * It never becomes a loop of resets. What is found in memory is tried MAILBOX_ATTEMPTS_MAX times.
 * Memory that a reset cleared is told by the file: made before firmware goes, it is still empty
 * then, and as long as there is such a file nothing more is carried.
 */
#pragma once

#include <stdbool.h>

#include "kernel/base/handoff.h"

/* Before all else, with boot services alive: has the last boot left something? */
bool carry_arrived(const struct handoff *handoff);
/* Then: writes it, says what became of it, and tells how to leave (power.h). */
const char *carry_deliver(const struct handoff *handoff);

/* Boot services alive: makes sure that the next boot can write a file. NULL, or why not. */
const char *carry_prepare(const struct handoff *handoff);
/* They are gone, and memory is not in use yet: takes room. NULL, or why not. */
const char *carry_reserve(struct handoff *handoff);

/* Will the log be carried? */
bool carry_is_ready(void);
/* Puts the whole log, END as well, where the next boot finds it; a warm reset is to follow. */
void carry_log(void);
