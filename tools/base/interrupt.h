/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ctrl-C and its like, as a flag: a run that is stopped still leaves its log, and no QEMU behind.
 */
#pragma once

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP only raise the flag and end waits; SIGPIPE is an error of
 * the write. */
void interrupt_catch(void);
bool interrupt_seen(void);
/* In a child, before exec: as if interrupt_catch() had never been called. */
void interrupt_release(void);
/* From now on a pipe that nobody reads and a file that may not grow are errors of write(). */
void interrupt_none_by_writing(void);
