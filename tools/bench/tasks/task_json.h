/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "tools/base/json.h"
#include "tools/run/run.h"

/* What task_benches.h finds in a bench of threads, inside the bench's object: "phases", "shares",
 * "waits" or "overload". Nothing for any other bench. */
void task_json(struct json *json, const struct run *run, const struct run_bench *bench);
