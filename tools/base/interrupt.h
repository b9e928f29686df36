/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ctrl-C and the like as a flag, so that a stopped run still keeps its log and ends QEMU.
 */
#pragma once

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP only raise the flag and end waits; SIGPIPE is an error of
 * the write. */
void interrupt_catch(void);
bool interrupt_seen(void);
/* In a child, before exec: as if interrupt_catch() had never been called. */
void interrupt_release(void);
/* From now on a pipe without reader, and a file that may not grow, are errors of write(). */
void interrupt_none_by_writing(void);
