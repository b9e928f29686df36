/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report of an exception: registers and a symbolised backtrace, as records and as text.
 */
#pragma once

#include "kernel/mem/paging.h"

/* How the plan ends the run (power.h). */
typedef const char *crash_exit(void);

/* From now on exceptions are reported; backtraces follow frames on `stack` and nowhere else. One
 * that the run does not survive ends it so. */
void crash_init(const struct stack *stack, crash_exit *exit);

/* Has there been one? */
bool crash_seen(void);
