/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "tools/base/json.h"
#include "tools/bench/interactive/interactive.h"
#include "tools/run/run.h"

/* The paper's measures of the bench's input events (latency.h), inside the bench's object:
 * "latency". Lengths in ticks, or in ms if the key names ms. `interactive` is of the bench,
 * and present. */
void latency_json(struct json *json, const struct run *run, const struct run_bench *bench,
                  const struct interactive *interactive);
