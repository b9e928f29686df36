/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the file of a log into a decoder, in the form in which its bytes were on the serial line.
 */
#pragma once

#include <stdbool.h>

#include "tools/run/run.h"
#include "tools/wire/decoder.h"
#include "tools/wire/log_form.h"

/* Reads a log into the decoder; "-" is standard input. `form` states which changes of the log to
 * undo, and gets the change that is found. Returns false with errno if the log cannot be read. */
bool log_read(const char *path, struct log_form *form, struct decoder *decoder);

/* Reads a log into a new decoder. What another program changed in the file is undone if it can be
 * undone exactly, one change after the other; log_form_text() then says what it was. Returns NULL
 * with errno if the log cannot be read. */
struct decoder *log_read_new(const char *path, struct log_form *form);

/* Has the decoder seen damage? */
bool log_is_damaged(const struct decoder *decoder);

/* Adds the time at which the log was last written to, except to a run that repeats exactly: its run
 * file does so, too. `log` may be NULL or name no file. */
void log_note_time(struct run *run, const char *log);
