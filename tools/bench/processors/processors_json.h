/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "tools/base/json.h"
#include "tools/run/run.h"

/* What the benches of several processors report (tools/bench/processors/processors.h), in ticks,
 * inside the bench's object: of lines "matrices", of ipi "skews". Nothing where there are none. */
void processors_json(struct json *json, const struct run *run, const struct run_bench *bench);
