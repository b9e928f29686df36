/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns Ctrl-C and similar signals into a flag, so that an interrupted run still saves its log and
 * stops QEMU.
 */
#pragma once

#include <stdbool.h>

/* From this call on, SIGINT, SIGTERM and SIGHUP only set the flag and end waits. SIGPIPE becomes an
 * error of the write. */
void interrupt_catch(void);
bool interrupt_seen(void);
/* Undoes interrupt_catch(): signals do again what they did before. Call in a child before exec. */
void interrupt_release(void);
/* From this call on, writing to a pipe without a reader, or to a file that may not grow, makes
 * write() fail instead of ending the program. */
void interrupt_none_by_writing(void);
