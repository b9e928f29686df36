/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions as CSV (tools/base/csv.h). */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tools/run/run.h"

#define ACTIONS_CSV_HEAD \
    "bench,pass,phase,class,cold,begin,events,idle,service,response,disk,disk_requests\n"

/* A line for each action of a bench, those that take longer than was asked for (measure.h). All
 * times in ticks; `begin` since the begin of the trace. What is not known is an empty field. False:
 * its traces cannot be read. */
bool actions_csv(FILE *out, const struct run *run, const struct run_bench *bench);
