/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "tools/base/json.h"
#include "tools/run/run.h"

/* What think_wait.h makes of the bench's traces, inside the bench's object: "think_wait". Nothing
 * where they report neither inputs in queues nor synchronous I/O. */
void think_wait_json(struct json *json, const struct run *run, const struct run_bench *bench);
