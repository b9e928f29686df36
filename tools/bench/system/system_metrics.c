/* SPDX-License-Identifier: BSD-2-Clause */
/* Which metric stands for a bench of calls, clocks and threads in a line. */
#include "tools/present/reading.h"

READING_OF(clock, .order = 500, .metrics = {.main = "tsc.cost"});
READING_OF(creation, .order = 500, .metrics = {.main = "process"});
READING_OF(exceptions, .order = 500, .metrics = {.main = "page_fault.entry"});
READING_OF(process, .order = 500, .metrics = {.main = "null_call"});
READING_OF(switches, .order = 500, .metrics = {.main = "yield"});
