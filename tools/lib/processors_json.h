/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "tools/lib/json.h"
#include "tools/lib/run.h"

/* What the benches of several processors tell (tools/lib/processors.h), in ticks, inside the
 * bench's object: of lines "matrices", of ipi "skews". Nothing where there are none. */
void processors_json(struct json *json, const struct run_bench *bench);
