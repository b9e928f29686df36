/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON of a bench's input events: members "interactive", "latency" and "think_wait". */
#pragma once

#include "bench/interactive/host/measure/actions.h"
#include "bench/interactive/host/measure/interactive.h"
#include "tools/base/json.h"
#include "tools/run/run.h"

/* Writes member "interactive" with, inside it, "stairs" if the bench's idle loop shows them.
 * `interactive` and `actions` must belong to the bench, which must have input events. */
void interactive_json(struct json *json, const struct run *run, const struct run_bench *bench,
                      const struct interactive *interactive, const struct actions *actions);

/* Writes the paper's measures of the bench's actions (latency.h) as member "latency" of the bench's
 * object. Each phase is an element of "groups", with all three measures. For a bench without
 * phases, the chosen measure is also written directly in "latency". Lengths are in ticks, or in ms
 * if the key says ms. `interactive` and `actions` must belong to the bench, which must have input
 * events. */
void latency_json(struct json *json, const struct run *run, const struct run_bench *bench,
                  const struct interactive *interactive, const struct actions *actions);

/* Writes the results of think_wait.h for the bench's traces as member "think_wait" of the bench's
 * object. Writes nothing if the traces contain neither inputs in queues nor synchronous I/O. */
void think_wait_json(struct json *json, const struct run *run, const struct run_bench *bench);
