/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "tools/base/json.h"
#include "tools/run/run.h"

/* The curves of a bench (tools/run/curves.h), in ticks of one repetition, and of chase and tlb the
 * levels found, inside the bench's object: "curves", "levels" and "reach". Nothing where there are
 * none. */
void memory_json(struct json *json, const struct run *run, const struct run_bench *bench);
