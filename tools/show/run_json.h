/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as one JSON object: {"schema": "tare-run/1", "run": {...}, "benches": [...]}.
 * run_schema.json is the JSON Schema of it; what is added does not change its number, what changes
 * or goes does.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "tools/run/run.h"

#define RUN_JSON_SCHEMA "tare-run/1"

/* All of it but the samples. `reasons` are those of run_valid(); empty for a valid run. What is
 * absent is null, and so is a total that leaves 64 bits; a ratio that cannot be formed is left out.
 */
void run_json(FILE *out, const struct run *run, const struct run_texts *reasons);

/* And with them: each series has "samples", in the order in which they were taken, null where one
 * is missing. `bench`: only this one, as run_bench_is() has it. */
void run_json_samples(FILE *out, const struct run *run, const struct run_texts *reasons,
                      const char *bench);

/* run_schema.json: JSON Schema, draft 2020-12. */
extern const char run_schema[];
extern const size_t run_schema_length;
