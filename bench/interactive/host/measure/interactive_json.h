/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON of the input events of a bench: its object "interactive". */
#pragma once

#include "bench/interactive/host/measure/actions.h"
#include "bench/interactive/host/measure/interactive.h"
#include "tools/base/json.h"
#include "tools/run/run.h"

/* Key "interactive", and "stairs" in it where the bench's idle loop shows them. `interactive`
 * and `actions` are of the bench, and present. */
void interactive_json(struct json *json, const struct run *run, const struct run_bench *bench,
                      const struct interactive *interactive, const struct actions *actions);
