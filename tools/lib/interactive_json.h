/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON of the input events of a bench: its object "interactive". */
#pragma once

#include "tools/lib/json.h"
#include "tools/lib/run.h"

/* Key "interactive" where the bench has or planned input events, and "stairs" in it where its idle
 * loop shows them; else nothing. */
void interactive_json(struct json *json, const struct run *run, const struct run_bench *bench);
