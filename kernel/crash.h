/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports an exception: registers and a symbolised backtrace, as records and as text.
 */
#pragma once

#include "kernel/mem/paging.h"

/* Returns how to end the run, as power_leave() takes it (power.h). */
typedef const char *crash_exit(void);

/* Reports exceptions from now on; backtraces follow only frames on `stack`. If the run cannot
 * survive an exception, it ends as `exit` says. */
void crash_init(const struct stack *stack, crash_exit *exit);

/* Returns whether an exception has been reported. */
bool crash_seen(void);
