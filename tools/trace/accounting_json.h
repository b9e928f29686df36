/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "tools/base/json.h"
#include "tools/run/run.h"

/* Key "accounting" of a bench: what accounting.h and reconcile.h make of its traces; null where it
 * has none, or where they cannot be read. All times are in ticks, of which an instruction takes so
 * many in exact time; 0: in real time. */
void accounting_json(struct json *json, const struct run_bench *bench,
                     double ticks_per_instruction);
