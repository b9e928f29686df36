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

/* The paper's measures of the bench's actions (latency.h), inside the bench's object: "latency".
 * Each phase is an element of "groups", with all three measures; of a bench without phases the
 * chosen one stands in "latency" itself, too. Lengths in ticks, or in ms if the key names ms.
 * `interactive` and `actions` are of the bench, and present. */
void latency_json(struct json *json, const struct run *run, const struct run_bench *bench,
                  const struct interactive *interactive, const struct actions *actions);

/* What think_wait.h makes of the bench's traces, inside the bench's object: "think_wait". Nothing
 * where they report neither inputs in queues nor synchronous I/O. */
void think_wait_json(struct json *json, const struct run *run, const struct run_bench *bench);
