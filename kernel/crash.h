/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report of an exception: registers and a symbolised backtrace, as records and as text.
 */
#pragma once

#include "kernel/mem/paging.h"

/* From now on exceptions are reported; backtraces follow frames on `stack` and nowhere else. */
void crash_init(const struct stack *stack);

/* Has there been one? */
bool crash_seen(void);
