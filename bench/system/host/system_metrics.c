/* SPDX-License-Identifier: BSD-2-Clause */
/* Which metric stands for a bench of calls, clocks and threads in a line. */
#include "bench/system/names.h"
#include "bench/tasks/names.h"
#include "tools/present/reading.h"

READING_OF(clock, .order = 500, .metrics = {.main = "tsc.cost"});
READING_REGISTER(creation_main) = {
    .bench = BENCH_CREATION, .order = 500, .metrics = {.main = "process"}};
READING_REGISTER(exceptions_main) = {
    .bench = BENCH_EXCEPTIONS, .order = 500, .metrics = {.main = "page_fault.entry"}};
READING_OF(process, .order = 500, .metrics = {.main = "null_call"});
READING_REGISTER(switches_main) = {
    .bench = BENCH_SWITCHES, .order = 500, .metrics = {.main = "yield"}};
